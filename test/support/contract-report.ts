import type { ContractReport, ReportedCase } from '../../src/cli/contract/reports.ts';

const request = {
  route: 'GET /patients/{id}',
  status: 200,
  ms: 3,
  curl: `curl -sS 'http://x'"$patients_complete"`,
} as const;

const passed: ReportedCase = {
  id: 'patients.get.one',
  title: 'get shows a patient',
  section: '4.A',
  needs: 'patients.get',
  level: 'safe',
  outcome: 'pass',
  ms: 12,
  requests: [request],
};

/** A run of three cases: one passed, one failed and one was skipped. */
export const contractReport: ContractReport = {
  version: '1.2.3',
  target: { name: 'http://127.0.0.1:8080', how: 'over HTTP', fixtures: 'contract.yaml' },
  level: 'write',
  seed: 7,
  offered: ['patients.get', 'insurance.create'],
  startedAt: '2026-11-22T10:00:00.000Z',
  ms: 1_500,
  wrongFixtures: { 'services.bookable': 'POST /v1/available-slots has no free slot' },
  cases: [
    passed,
    {
      ...passed,
      id: 'patients.get.none',
      title: 'get fails with <not_found> & "nothing" else',
      outcome: 'fail',
      reason:
        'the answer is not as expected (+ answered, - expected)\n+ "a\u0000b"\n- ‹name 1› </script><script>alert(1)</script>',
    },
    {
      ...passed,
      id: 'insurance.create.one',
      title: 'create makes a coverage',
      section: '4.B',
      needs: 'insurance.create',
      outcome: 'skip',
      reason: 'the fixtures do not name plans.accepted',
      requests: [],
    },
  ],
  cleanUp: {
    canceledAppointments: 2,
    removedRelatives: 0,
    remaining: { patients: 3, tickets: 1, coverages: 0, 'change requests': 0 },
    lost: 0,
    failures: ['appointment a-1 remains: its cancellation answered 409 too_late'],
  },
};

/** A request whose values a shell and a URL would take apart. */
export const quotedRequest = {
  route: 'PUT /patients/{id}',
  params: { id: 'ana' },
  query: { search: "d'Or & co" },
  body: { phone: "'1'", id: 'ana' },
} as const;
