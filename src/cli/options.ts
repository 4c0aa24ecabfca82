import { Option } from 'commander';

/** `--config`, as every command that reads the configuration takes it. */
export const configOption = (): Option =>
  new Option('--config <file>', 'configuration file; default: PUENTE_CONFIG, then the config/default.yaml of Puente');
