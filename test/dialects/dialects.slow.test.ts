import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { connect } from '../support/fhir-adapter.ts';
import { type DayOptions, type Step, workOneDay } from './day.ts';
import { describeDialects } from './describe-dialects.ts';
import { startDialectProxy } from './proxy.ts';

const { server } = await startHospital();
const proxy = await startDialectProxy(server.url);
const day: DayOptions = { fixtures: toFixtures(server.ids), document: '58123456', now: new Date().toISOString() };
const changeReasons = [{ id: day.fixtures.changeReason, label: 'Mudanza' }];

async function workDay(settings: Readonly<Record<string, unknown>> = {}): Promise<Step[]> {
  server.reset();
  const { ports } = await connect(proxy, { changeReasons, ...settings });
  return workOneDay(ports, day);
}

describeDialects(proxy, workDay, { hasRecordsOfOthers: false });
