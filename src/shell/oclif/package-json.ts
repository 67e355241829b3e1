import type { Config } from '@oclif/core/config';
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

/** What oclif needs to know of the program. It would look for plugins, themes, folders and the shell to find out. */
export function commandConfig(root: string): Config {
  const { name, version, oclif } = pjson;
  const known = {
    ...{ root, name, version, pjson, bin: oclif.bin ?? name },
    // oclif's hooks and variables are for its plugins.
    runHook: async () => ({ successes: [], failures: [] }),
    scopedEnvVarKeys: () => [],
  };
  return known as unknown as Config;
}
