import { Config } from '@oclif/core/config';
import type { OclifOptions } from './plugin.ts';

/** Not loaded: what a command that runs needs to know of the program is what it is called, and where it is. */
export function commandConfig(options: OclifOptions): Config {
  const { root, pjson, version, plugins } = options;
  const { name, oclif } = pjson;
  return Object.assign(new Config(options), {
    ...{ root, name, version, pjson, plugins },
    rootPlugin: plugins.get(name),
    bin: oclif.bin ?? name,
    userAgent: `${name}/${version}`,
    // There is none, and looking for one loads a library.
    runHook: async () => ({ successes: [], failures: [] }),
  });
}
