import * as Flags from '@oclif/core/flags';
import type { CommonFlags, ValuesOf } from './flags.ts';

/** Which nodes a question is about. */
export const nodeFlags = {
  all: Flags.boolean({ summary: 'all nodes' }),
  selector: Flags.string({
    helpValue: 'SELECTOR',
    char: 'l',
    summary: 'only nodes with these labels, as in -l pool=spot',
  }),
};

const whatIf = 'WHAT IF';

const kubeletFlag = Flags.string({
  helpGroup: whatIf,
  summary: 'a KubeletConfiguration file to try',
  helpValue: 'FILE',
});

/** Settings to try for images. */
export const imageSettingFlags = {
  high: Flags.integer({
    helpGroup: whatIf,
    summary: 'try this imageGCHighThresholdPercent',
    helpValue: 'PERCENT',
  }),
  low: Flags.integer({
    helpGroup: whatIf,
    summary: 'try this imageGCLowThresholdPercent',
    helpValue: 'PERCENT',
  }),
  'min-age': Flags.string({
    helpGroup: whatIf,
    summary: 'try this imageMinimumGCAge, as in 2m',
    helpValue: 'DURATION',
  }),
  'max-age': Flags.string({
    helpGroup: whatIf,
    summary: 'try this imageMaximumGCAge, as in 72h; 0s turns it off',
    helpValue: 'DURATION',
  }),
  kubelet: kubeletFlag,
};

/** Settings to try for containers. */
export const containerSettingFlags = {
  'min-age': Flags.string({
    helpGroup: whatIf,
    summary: 'try this --minimum-container-ttl-duration, as in 1m',
    helpValue: 'DURATION',
  }),
  'max-per-pod-container': Flags.integer({
    helpGroup: whatIf,
    summary: 'try this --maximum-dead-containers-per-container; negative: no limit',
    helpValue: 'NUMBER',
  }),
  'max-containers': Flags.integer({
    helpGroup: whatIf,
    summary: 'try this --maximum-dead-containers; negative: no limit',
    helpValue: 'NUMBER',
  }),
};

export type NodeFlags = CommonFlags & ValuesOf<typeof nodeFlags>;
