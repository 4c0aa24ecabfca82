import { ContainerModule } from 'inversify';
import { isWrite } from '../api/index.ts';
import { Guard } from '../guard/guard.ts';
import { Idempotency } from '../guard/idempotency/idempotency.ts';
import { Refusals } from '../http/auth/refusal.ts';
import { createProblemReplies, sendProblems } from '../http/errors.ts';
import { OmittedRecords, tellOmitted } from '../http/omitted-records.ts';
import { beginAudit, endAudit } from '../http/operations/audit.ts';
import { readBody } from '../http/operations/body.ts';
import { BodyBudget } from '../http/operations/body-budget.ts';
import { callPort, executeOnPort, protect, requireRoom } from '../http/operations/call-port.ts';
import { identifyClient, limitClient } from '../http/operations/caller.ts';
import {
  beginOperation,
  checkInput,
  requireJsonAccepted,
  requireOffered,
  sendAnswer,
  serveOperations,
} from '../http/operations/chain.ts';
import { attemptOnce, readKey } from '../http/operations/idempotency.ts';
import type { Step } from '../http/request-context.ts';
import { RunningWrites } from '../http/running-writes.ts';
import { openAudit } from './audit.ts';
import { openState } from './state.ts';
import { createToken, tokens } from './tokens.ts';

/** What a request to an operation passes, from top to bottom. */
export const steps = {
  beginOperation: createToken<Step>('beginOperation'),
  identifyClient: createToken<Step>('identifyClient'),
  requireOffered: createToken<Step>('requireOffered'),
  requireJsonAccepted: createToken<Step>('requireJsonAccepted'),
  limitClient: createToken<Step>('limitClient'),
  readKey: createToken<Step>('readKey'),
  requireRoom: createToken<Step>('requireRoom'),
  readBody: createToken<Step>('readBody'),
  checkInput: createToken<Step>('checkInput'),
  beginAudit: createToken<Step>('beginAudit'),
  callPort: createToken<Step>('callPort'),
  tellOmitted: createToken<Step>('tellOmitted'),
  endAudit: createToken<Step>('endAudit'),
  sendAnswer: createToken<Step>('sendAnswer'),
};

/** Binds the steps of a request to an operation, each with the parts that it takes, and those parts. */
export const operationsModule = new ContainerModule(({ bind }) => {
  bind(tokens.guard).toResolvedValue(({ config }, log) => new Guard(config.guard, log), [tokens.config, tokens.log]);
  bind(tokens.state)
    .toResolvedValue(openState, [tokens.config])
    .onDeactivation((state) => state.close());
  bind(tokens.audit)
    .toResolvedValue(openAudit, [tokens.config, tokens.state, tokens.log])
    .onDeactivation((audit) => audit?.close());
  bind(tokens.idempotency).toResolvedValue(
    (state, log, { config }) => new Idempotency(state, log, config.idempotency.retention),
    [tokens.state, tokens.log, tokens.config],
  );
  bind(tokens.findAdapter).toResolvedValue(
    (findOwner) => (operation) => findOwner(operation.uses[0]),
    [tokens.findOwner],
  );
  bind(tokens.bodies).toResolvedValue(({ config }) => new BodyBudget(config.http.maxBodyBytes), [tokens.config]);
  bind(tokens.runningWrites).toConstantValue(new RunningWrites());
  bind(tokens.omitted).toConstantValue(new OmittedRecords());
  bind(tokens.refusals).toConstantValue(new Refusals());

  bind(steps.beginOperation).toResolvedValue(beginOperation, [tokens.runningWrites]);
  bind(steps.identifyClient).toResolvedValue(
    ({ authenticate }, { config }) => identifyClient(authenticate, config.auth.groupA === 'none'),
    [tokens.authentication, tokens.config],
  );
  bind(steps.requireOffered).toResolvedValue(requireOffered, [tokens.supports]);
  bind(steps.requireJsonAccepted).toConstantValue(requireJsonAccepted);
  bind(steps.limitClient).toResolvedValue(limitClient, [tokens.clientLimits, tokens.addresses]);
  bind(steps.readKey).toResolvedValue(({ config }) => readKey(config.idempotency.required), [tokens.config]);
  bind(steps.requireRoom).toResolvedValue(requireRoom, [tokens.guard, tokens.findAdapter]);
  bind(steps.readBody).toResolvedValue(
    (bodies, { config }) => readBody(bodies, config.http.packedBodies),
    [tokens.bodies, tokens.config],
  );
  bind(steps.checkInput).toResolvedValue(({ config }) => checkInput(config.compat), [tokens.config]);
  bind(steps.beginAudit).toResolvedValue(beginAudit, [tokens.audit, tokens.addresses]);
  bind(tokens.executeOnPort).toResolvedValue(executeOnPort, [tokens.ports, tokens.basePath]);
  bind(tokens.protect).toResolvedValue(protect, [tokens.executeOnPort, tokens.guard, tokens.findAdapter]);
  bind(tokens.attemptOnce).toResolvedValue(attemptOnce, [
    tokens.protect,
    tokens.idempotency,
    tokens.retryableWrites,
    tokens.toProblemReply,
  ]);
  bind(tokens.findDeadline).toResolvedValue(
    ({ config: { guard, http } }) =>
      (operation) =>
        guard.operations[operation.name]?.deadline ?? (isWrite(operation) ? http.writeDeadline : http.readDeadline),
    [tokens.config],
  );
  bind(steps.callPort).toResolvedValue(callPort, [tokens.attemptOnce, tokens.findDeadline, tokens.runningWrites]);
  bind(steps.tellOmitted).toResolvedValue(tellOmitted, [tokens.omitted, tokens.log, tokens.findAdapter]);
  bind(steps.endAudit).toResolvedValue(endAudit, [tokens.audit, tokens.addresses]);
  bind(steps.sendAnswer).toConstantValue(sendAnswer);

  bind(tokens.toProblemReply).toResolvedValue(
    (basePath, { config }) => createProblemReplies(basePath, config.compat.strictStatusCodes),
    [tokens.basePath, tokens.config],
  );
  bind(tokens.sendProblems).toResolvedValue(sendProblems, [
    tokens.toProblemReply,
    tokens.audit,
    tokens.addresses,
    tokens.refusals,
    tokens.log,
  ]);
  bind(tokens.operationRoutes).toResolvedValue(serveOperations, [
    tokens.operations,
    tokens.sendProblems,
    ...Object.values(steps),
  ]);
});
