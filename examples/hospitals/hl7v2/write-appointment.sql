-- What the engine does with a message of SIU. A message that comes twice, or late, is harmless by the last line.
INSERT INTO appointments (id, patient_id, practitioner_id, practitioner, start, minutes, status, sent)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET patient_id = excluded.patient_id, start = excluded.start, minutes = excluded.minutes,
  status = excluded.status, sent = excluded.sent
WHERE appointments.sent <= excluded.sent;
