import * as Flags from '@oclif/core/flags';
import { booleanFlag, flagsWith, textFlag } from './flag-kinds.ts';
import type { CommonFlags, ValuesOf } from './flags.ts';

/** Which nodes a question is about. */
export const nodeFlags = {
  all: booleanFlag('all nodes'),
  selector: textFlag('SELECTOR', 'only nodes with these labels, as in -l pool=spot', { char: 'l' }),
};

const whatIf = { helpGroup: 'WHAT IF' };

/** Settings to try for images. */
export const imageSettingFlags = flagsWith(whatIf, {
  high: Flags.integer({
    summary: 'try this imageGCHighThresholdPercent',
    helpValue: 'PERCENT',
  }),
  low: Flags.integer({
    summary: 'try this imageGCLowThresholdPercent',
    helpValue: 'PERCENT',
  }),
  'min-age': textFlag('DURATION', 'try this imageMinimumGCAge, as in 2m'),
  'max-age': textFlag('DURATION', 'try this imageMaximumGCAge, as in 72h; 0s turns it off'),
  kubelet: textFlag('FILE', 'a KubeletConfiguration file to try'),
});

/** Settings to try for containers. */
export const containerSettingFlags = flagsWith(whatIf, {
  'min-age': textFlag('DURATION', 'try this --minimum-container-ttl-duration, as in 1m'),
  'max-per-pod-container': Flags.integer({
    summary: 'try this --maximum-dead-containers-per-container; negative: no limit',
    helpValue: 'NUMBER',
  }),
  'max-containers': Flags.integer({
    summary: 'try this --maximum-dead-containers; negative: no limit',
    helpValue: 'NUMBER',
  }),
});

export type NodeFlags = CommonFlags & ValuesOf<typeof nodeFlags>;
