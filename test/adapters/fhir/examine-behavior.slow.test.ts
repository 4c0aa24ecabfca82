import { afterAll, describe, expect, test } from '@jest/globals';
import { capabilities, type Finding } from '../../../src/ports/index.ts';
import { both, INTERNAL, ignoring, onFiles, onPages, onReferences, refusingNames } from '../../dialects/changes.ts';
import type { Dialect } from '../../dialects/proxy.ts';
import { startDialectProxy } from '../../dialects/proxy.ts';
import { startHospital } from '../../hospital-in-fhir/start.ts';
import { connect } from '../../support/fhir-adapter.ts';

const { server } = await startHospital();
const proxy = await startDialectProxy(server.url);
afterAll(() => server.reset());

/** What the examination of a server that speaks so says. */
async function examineAll(
  dialect: Dialect,
  settings: Record<string, unknown> = {},
  load: () => Promise<void> = async () => undefined,
): Promise<Finding[]> {
  server.reset();
  await load();
  proxy.speak(dialect);
  const { readiness } = await connect(proxy, settings);
  const { signal } = new AbortController();
  return Array.fromAsync(readiness.examine?.({ signal, uses: new Set(capabilities) }) ?? []);
}

/** What it says of the server's behavior. */
async function examine(dialect: Dialect, load?: () => Promise<void>): Promise<Finding[]> {
  const findings = await examineAll(dialect, {}, load);
  expect(findings.filter(({ ok, check }) => ok === false && !['behavior', 'references'].includes(check))).toEqual([]);
  return findings.filter(({ check }) => check === 'behavior');
}

describe('the examination of the behavior of a FHIR server', () => {
  test('says that it does what it is asked for', async () => {
    expect(await examine({})).toEqual([expect.objectContaining({ ok: true })]);
  });

  test.each([
    ['_offset', 'Appointment', 'all rows are read, and the page is selected from them'],
    ['_revinclude', 'Slot, Patient', 'an additional search finds the resources that refer to the matches'],
  ])('notices that %s is ignored, and says what follows', async (part, types, otherWay) => {
    const [finding, ...others] = await examine(ignoring(part));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ ok: null });
    expect(finding?.detail).toMatch(new RegExp(`^the server accepts and ignores ${part} of ${types} \\(seen at `));
    expect(finding?.detail).toContain(otherWay);
  });

  test('says which optional parts are refused, and of which types', async () => {
    const found = await examine(refusingNames(['_revinclude', '_sort'], 400));
    const details = found.map(({ detail }) => detail).toSorted();
    expect(details).toEqual([
      expect.stringMatching(/^the server refuses _revinclude of .*Slot.* \(HTTP_400, seen at /),
      expect.stringMatching(/^the server refuses _sort of .*Appointment.* \(HTTP_400, seen at /),
    ]);
  });

  test('notices that status:not is ignored', async () => {
    const [finding, ...others] = await examine(ignoring('status:not'));
    expect(others).toEqual([]);
    expect(finding?.detail).toMatch(
      /^the server accepts and ignores status:not of Slot .*: the free slots of each schedule are read separately$/,
    );
  });

  test('notices that the rows come in no order', async () => {
    const found = await examine(ignoring('_sort'));
    expect(found.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^the server accepts and ignores _sort of .*Appointment.*: all rows are read and sorted$/),
    ]);
  });

  test('notices a total below the rows', async () => {
    const found = await examine(onPages(({ total }) => ({ total: total === undefined ? total : 0 })));
    expect(found.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^the server accepts and ignores _total of Appointment .*: all rows are read and counted$/),
    ]);
  });

  describe('of a file that a ticket names', () => {
    /** Examines a server that speaks so, on which a ticket has one file. */
    const examineFile = async (dialect: Dialect, size: number) => {
      const content = Buffer.from('%PDF-1.7 a referral');
      const load = async () => {
        const data = content.toString('base64');
        const { id } = await server.create({ resourceType: 'Binary', contentType: 'application/pdf', data });
        const file = { url: `Binary/${id}`, size: content.length + size };
        const item = [{ linkId: 'orden', answer: [{ valueAttachment: file }] }];
        server.load({ resourceType: 'QuestionnaireResponse', id: 'r', status: 'completed', item });
      };
      return examine(dialect, load);
    };

    test('says nothing where its bytes come', async () => {
      expect(await examineFile({}, 0)).toEqual([expect.objectContaining({ ok: true })]);
    });

    test('says that the resource comes in the place of its bytes', async () => {
      expect(
        await examineFile(
          onFiles((body) => ({ body })),
          0,
        ),
      ).toEqual([
        expect.objectContaining({ ok: null, detail: expect.stringContaining('the file is extracted from it') }),
      ]);
    });

    test('says that it is another one than its attachment says, and that its ticket is shown without it', async () => {
      expect(await examineFile({}, 7)).toEqual([
        expect.objectContaining({ ok: false, detail: expect.stringMatching(/^Binary\/.* its ticket omits the file$/) }),
      ]);
    });
  });

  test('says that a gateway looks for twins until it has seen that conditional creates do not race', async () => {
    const all = await examineAll({}, { transactions: 'trust' });
    expect(all.find(({ check }) => check === 'conditional creates')).toMatchObject({
      ok: null,
      detail: expect.stringContaining('searches for a duplicate'),
      fix: expect.stringContaining('transactions to probe'),
    });
  });

  test('says that conditional creates race where this gateway has tried it', async () => {
    proxy.speak({ ask: ({ headers, path }) => void (path === 'Basic' && delete headers['if-none-exist']) });
    const { readiness } = await connect(proxy);
    const { signal } = new AbortController();
    await readiness.report(signal);
    const uses = new Set(capabilities);
    const found = await Array.fromAsync(readiness.examine?.({ signal, uses }) ?? []);
    expect(found.filter(({ check }) => check === 'behavior').map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/ignores atomic If-None-Exist of Basic .*, and withdraw a duplicate$/),
    ]);
    expect(found.filter(({ check }) => check === 'conditional creates')).toEqual([]);
  });

  test('proposes the base that references name', async () => {
    const found = await examine(
      both(
        {},
        onReferences((path) => `${INTERNAL}/${path}`),
      ),
    );
    expect(found).toContainEqual(expect.objectContaining({ ok: false, fix: expect.stringContaining(`[${INTERNAL}]`) }));
  });
});
