import type { GatewayConfigs } from '../gateway-config.ts';
import { startGateway, startServer } from '../processes.ts';
import { type Comparison, repeatRead, type Variant } from '../variant.ts';

/** The gateway over a FHIR server, a proxy before the same server that translates nothing, and the server itself. */
export async function compareOverFhir(configs: GatewayConfigs): Promise<Comparison[]> {
  const atOnce = await startVariants(configs, 0);
  const late = await startVariants(configs, 20);
  return [
    { id: 'fhir-0', title: 'Read over FHIR, backend without delay', load: { connections: 16 }, variants: atOnce },
    { id: 'fhir-20', title: 'Read over FHIR, 20 ms in the backend', load: { connections: 128 }, variants: late },
    { id: 'fhir-open', title: 'The same, 500 requests a second in an open loop', load: { rate: 500 }, variants: late },
  ];
}

async function startVariants(configs: GatewayConfigs, delay: number): Promise<Variant[]> {
  const token = configs.tokens.opaque;
  const backend = await startServer('backend.ts', String(delay));
  const proxy = await startServer('proxy.js', `http://127.0.0.1:${backend.port}`);
  const gateway = await startGateway(configs.writeFhir(backend.port));
  const behind = repeatRead('/fhir/Patient/ana', token);
  return [
    { name: 'backend direct', own: false, server: backend, requests: behind },
    { name: 'http-proxy-middleware', own: false, server: proxy, requests: behind },
    { name: 'Puente over FHIR', own: true, server: gateway, requests: repeatRead('/patients/ana', token) },
  ];
}
