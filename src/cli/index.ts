#!/usr/bin/env node
import 'reflect-metadata';
import { Command } from 'commander';
import { version } from '../runtime/package.ts';
import { adapter } from './adapter.ts';
import { check } from './check.ts';
import { contract } from './contract/index.ts';
import { doctor } from './doctor/index.ts';
import { exitCodes } from './exit-codes.ts';
import { openapi } from './openapi.ts';
import { report } from './report.ts';
import { seedFhir } from './seed-fhir/index.ts';
import { serve } from './serve.ts';
import { token } from './token.ts';

const puente = new Command('puente')
  .description('A gateway that serves the Healthcare Institution Integration API in front of any patient system.')
  .version(version)
  .showHelpAfterError();
for (const command of [serve, check, doctor, adapter, contract, token, openapi, seedFhir]) {
  command.copyInheritedSettings(puente);
  for (const part of command.commands) part.copyInheritedSettings(puente);
  puente.addCommand(command);
}
for (const command of [doctor, contract, ...contract.commands]) {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.cannotRun));
}

void puente.parseAsync().catch(report);
