import * as Flags from '@oclif/core/flags';
import { repeatable } from '../../shell/flags/flags.ts';

/** The flags of `run-controllers`. */
export const runControllersFlags = {
  controllers: Flags.string({
    summary: 'the controllers to run; default: all that can be run; may be repeated',
    helpValue: 'garbagecollector,namespace',
    ...repeatable,
  }),
  'until-settled': Flags.boolean({
    summary: 'end once the controllers have nothing left to do; stdin is not read',
  }),
  writes: Flags.boolean({ summary: 'print an event for each write, with its reason' }),
  'allow-remote-server': Flags.boolean({
    summary: 'run against a server that is not on this machine: a test cluster elsewhere',
  }),
  'beside-controller-manager': Flags.boolean({
    summary: 'run although a controller manager runs there, or has run',
  }),
};
