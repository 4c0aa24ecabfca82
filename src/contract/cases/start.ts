import { registerPatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectProblem, getBody } from '../expect.ts';

/** Where every start makes a new institution, other results mean something only when these pass. */
export const startCases: readonly Case[] = [
  defineCase({ level: 'write', section: '4.A' }, 'start.independent', {
    needs: 'patients.get',
    requires: ['patients.register'],
    title: 'two starts are independent: what is done to one does not show in the other',
    run: async (subject, start) => {
      const other = await start();
      const id = await registerPatient(subject);
      await getBody(subject, { route: 'GET /patients/{id}', params: { id } });
      for (const fresh of [other, await start()]) {
        await expectProblem(fresh, { route: 'GET /patients/{id}', params: { id } }, 404, 'not_found');
      }
    },
  }),
];
