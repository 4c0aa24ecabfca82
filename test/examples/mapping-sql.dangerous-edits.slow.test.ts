import { describe, expect, test } from '@jest/globals';
import { fixtures } from '../../examples/clinic-adapter/test/fixtures.ts';
import { cases, createPortsSubject, portCases, runCases } from '../../src/contract/index.ts';
import type { Offer } from '../../src/ports/index.ts';
import { concernsMapping, makeDatabase, openMapping, writeMapping } from '../support/mapped-clinic.ts';
import { openHospital } from '../support/mapped-hospital.ts';
import { httpEdits, sqlEdits } from '../support/mapping/dangerous-edits.ts';

const appointments = [...cases, ...portCases].filter(
  (each) => concernsMapping(each) && each.needs === 'appointments.list',
);

const listFailed = async (ports: Offer) =>
  (await runCases(appointments, async () => createPortsSubject({ ports, fixtures }))).filter(
    ({ outcome }) => outcome === 'fail',
  );

describe('puente contract finds what puente check cannot', () => {
  test.each(sqlEdits.filter(([, , , refused]) => refused === 'contract'))('over SQL: %s', async (_, from, to) => {
    expect(await listFailed(await openMapping(writeMapping(makeDatabase())))).toEqual([]);
    const file = writeMapping(makeDatabase(), (text) => text.replace(from, to));
    expect(await listFailed(await openMapping(file))).not.toEqual([]);
  });

  test.each(httpEdits.filter(([, , , refused]) => refused === 'contract'))('over HTTP: %s', async (_, from, to) => {
    expect(await listFailed((await openHospital()).ports)).toEqual([]);
    expect(await listFailed((await openHospital((text) => text.replace(from, to))).ports)).not.toEqual([]);
  });
});
