import { afterAll } from '@jest/globals';
import type { Quirks } from '../fhir-server/quirks.ts';
import { type FhirServer, startFhirServer } from '../fhir-server/server.ts';
import { buildHospital } from './hospital.ts';

export interface StartedHospital {
  readonly server: FhirServer;
  /** The id that the server gave to a resource. @throws Error when the hospital has none of that name. */
  readonly id: (name: string) => string;
}

/** Starts a stand-in server that holds the hospital of today; it stops after the last test of the file. */
export async function startHospital(quirks: Partial<Quirks> = {}): Promise<StartedHospital> {
  const server = await startFhirServer({ resources: buildHospital(new Date()), quirks });
  afterAll(() => server.stop());
  const id = (name: string): string => {
    const given = server.ids.get(name);
    if (given === undefined) throw new Error(`The hospital has no ${name}`);
    return given;
  };
  return { server, id };
}
