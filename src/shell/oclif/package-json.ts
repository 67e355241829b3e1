import type { PJSON } from '@oclif/core/interfaces';
import packageJson from '../../../package.json' with { type: 'json' };

/** What oclif wants to know of package.json. */
export const pjson = {
  name: packageJson.name,
  version: packageJson.version,
  description: packageJson.description,
  engines: packageJson.engines,
  oclif: packageJson.oclif,
} as PJSON;
