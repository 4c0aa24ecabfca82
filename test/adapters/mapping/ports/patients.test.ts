import { expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

test('an update with a field that the change does not keep is not supported, and changes nothing', async () => {
  const { patients } = await openMapping(
    writeMapping(makeDatabase(), (text) => text.replace(', email = coalesce(:email, email)', '')),
  );
  const update = (changes: object) => patients!.update!('1002', changes, callNow());
  await expect(update({ email: 'b@correo.example', phone: '1' })).rejects.toMatchObject({ kind: 'unsupported' });
  await update({ phone: '2' });
  expect(await patients!.get!('1002', callNow())).toMatchObject({ phone: '2', email: '' });
});
