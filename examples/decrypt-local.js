// Reads what a patient wrote from the tables of the adapter local, with its key; docs/reference/local.md.
import { createDecipheriv } from 'node:crypto';

/** @param kind `ticket`, `relative` or `change_request`; @param content the column of that name. Files are `ticket_files` in `files`. */
export function decrypt(kind, id, content, key) {
  const decipher = createDecipheriv('aes-256-gcm', key, content.subarray(1, 13), { authTagLength: 16 })
    .setAAD(Buffer.from(`${kind}:${id}`))
    .setAuthTag(content.subarray(13, 29));
  return JSON.parse(decipher.update(content.subarray(29), undefined, 'utf8') + decipher.final('utf8'));
}
