import { createMember } from '../../arrange.ts';
import { expectPromise } from '../broken-promise.ts';
import { describeOutcome } from '../session.ts';
import type { Template, Variable } from '../variable.ts';
import { checkCoverages, checkRelatives, checkTickets, pathOf } from '../views.ts';
import type { Person, World } from '../world.ts';
import { pick, type Step } from './step.ts';

const ticketNeeds = ['patients.register', 'tickets.open', 'tickets.type', 'tickets.list'] as const;
const relativeNeeds = ['patients.register', 'family-groups.add', 'family-groups.list'] as const;
const changeNeeds = ['patients.register', 'practitioners.requestChange', 'practitioners.changeRequestOf'] as const;
const coverageNeeds = ['patients.register', 'insurance.create', 'insurance.coverages'] as const;

async function fileTickets(world: World, person: Person, times: number): Promise<void> {
  const { ticketType } = world.session.subject.fixtures;
  if (!ticketType) return;
  const atOnce = Array.from({ length: times }, () => world.session.createName('ticket'));
  const requests = atOnce.map(
    (observations): Template => ({
      route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket',
      params: { ...pathOf(person), ticket_type_id: ticketType.id },
      body: { observations, fields: [{ id: ticketType.checked.id, value: ticketType.checked.fits }] },
    }),
  );
  const responses = await world.session.sendAll(requests);
  const strange = responses.map(describeOutcome).find((each) => each !== '201');
  expectPromise(strange === undefined, 'answered', `filing a ticket answers ${strange} instead of 201`);
  person.tickets.push(atOnce);
  await checkTickets(world, person);
}

const buildAdd = (person: Person, related: Person): Template => ({
  route: 'POST /patients/{id}/family_group',
  params: pathOf(person),
  body: { ...createMember(related.id.value), related_patient_id: related.id },
});

const buildRemove = (person: Person, member: Variable): Template => ({
  route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
  params: { ...pathOf(person), family_group_member_id: member },
});

const buildChange = (person: Person, reason: string): Template => ({
  route: 'POST /patients/{id}/practitioner/change_request',
  params: pathOf(person),
  body: { reason_id: reason },
});

/** Of the same request, sent so often at once, one succeeds and the others are refused so. */
async function expectOneWinner(world: World, request: Template, times: number, won: string, lost: string) {
  const responses = await world.session.sendAll(Array.from({ length: times }, () => request));
  const outcomes = responses.map(describeOutcome).toSorted();
  const expected = [won, ...Array.from({ length: times - 1 }, () => lost)].toSorted();
  const message = `${request.route} answers ${outcomes.join(', ')} instead of ${expected.join(', ')}`;
  expectPromise(outcomes.join() === expected.join(), 'winner', message);
}

async function nameRelative(world: World, person: Person, related: Person, times: number): Promise<void> {
  await expectOneWinner(world, buildAdd(person, related), times, '201', '409 relation_exists');
  const { family_group } = await world.ask<{ family_group: { id: string; related_patient_id: string }[] }>({
    route: 'GET /patients/{id}/family_group',
    params: pathOf(person),
  });
  const row = family_group.findIndex((member) => member.related_patient_id === related.id.value);
  const id = family_group[row]?.id;
  expectPromise(id !== undefined, 'own', 'a relative was added, and is not listed');
  if (id === undefined) return;
  const variable = world.session.capture('MEMBER', id, `.family_group[${row}].id`);
  person.relatives.push({ id: variable, of: related });
  await checkRelatives(world, person);
}

export const recordSteps: readonly Step[] = [
  {
    name: 'file a ticket',
    level: 'write',
    needs: ticketNeeds,
    weight: 4,
    run: async (world, { who }) => fileTickets(world, await world.getPerson(who), 1),
  },
  {
    name: 'file several tickets at once',
    level: 'write',
    needs: ticketNeeds,
    weight: 1,
    run: async (world, { who, times }) => fileTickets(world, await world.getPerson(who), times),
  },
  {
    name: 'name a relative',
    level: 'write',
    needs: relativeNeeds,
    weight: 3,
    run: async (world, { who, other, times }) => {
      const person = await world.getPerson(who);
      const related = await world.getPerson(other);
      if (person === related) return;
      if (person.relatives.some(({ of }) => of === related)) {
        await world.expectRefusal(buildAdd(person, related), '409 relation_exists');
        await checkRelatives(world, person);
      } else await nameRelative(world, person, related, times > 2 ? times : 1);
    },
  },
  {
    name: 'remove a relative',
    level: 'write',
    needs: [...relativeNeeds, 'family-groups.remove'],
    weight: 3,
    run: async (world, { which, other }) => {
      const all = [...world.people.values()].flatMap((person) =>
        person.relatives.map((relative) => ({ person, relative })),
      );
      const chosen = pick(all, which);
      if (!chosen) return;
      const { person, relative } = chosen;
      const stranger = world.people.get(other);
      if (stranger && stranger !== person) {
        await world.expectRefusal(buildRemove(stranger, relative.id), '404 not_found');
        await checkRelatives(world, person);
      }
      await world.ask(buildRemove(person, relative.id));
      person.relatives.splice(person.relatives.indexOf(relative), 1);
      await checkRelatives(world, person);
    },
  },
  {
    name: 'ask for another practitioner',
    level: 'write',
    needs: changeNeeds,
    weight: 2,
    run: async (world, { who, times }) => {
      const { changeReason } = world.session.subject.fixtures;
      if (changeReason === undefined) return;
      const person = await world.getPerson(who);
      const request = buildChange(person, changeReason);
      // Staff may have closed the first request by now.
      if (person.changeRequest) await world.expectRefusal(request, '409 change_request_open', 'refused', true);
      else await expectOneWinner(world, request, times > 2 ? times : 1, '200', '409 change_request_open');
      const { id } = await world.ask<{ id: string }>({
        route: 'GET /patients/{id}/practitioner/change_request',
        params: pathOf(person),
      });
      expectPromise(id === (person.changeRequest ?? id), 'own', 'another request for a change is shown');
      person.changeRequest = id;
    },
  },
  {
    name: 'create a coverage',
    level: 'write',
    needs: coverageNeeds,
    weight: 3,
    run: async (world, { who, which, times }) => {
      const { accepted } = world.session.subject.fixtures.plans ?? {};
      if (accepted === undefined) return;
      const person = await world.getPerson(who);
      const known = times === 2 ? pick(person.coverages, which) : undefined;
      const number = known?.number ?? world.inventCredential();
      const request: Template = {
        route: 'POST /v1/coverages',
        body: { credentialNumber: number, beneficiaryId: person.id, insurancePlanId: accepted },
      };
      if (known) await world.expectRefusal(request, '409 coverage_exists');
      else {
        const { model } = await world.ask<{ model: { id: string } }>(request, 201);
        const id = world.session.capture('COVERAGE', model.id, '.model.id');
        person.coverages.push({ id, credential: String(number), number });
      }
      await checkCoverages(world, person);
    },
  },
];

/** Takes the relative out again. */
export { buildRemove };
