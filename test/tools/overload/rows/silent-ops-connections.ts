import type { Row } from '../row.ts';
import { holdSilent } from './silent-connections.ts';

export const row: Row = {
  title: '100 connections to ops.port that send nothing, opened again when closed',
  attackers: [holdSilent(100, '127.0.0.2', 'opsPort')],
};
