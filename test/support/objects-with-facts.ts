import { basics } from './facts/basics.ts';
import { others } from './facts/others.ts';
import { pods } from './facts/pods.ts';
import { secrets } from './facts/secrets.ts';
import { volumes } from './facts/volumes.ts';
import { workloads } from './facts/workloads.ts';

/** Of every kind with facts an object with all of them, and some that are hard to get right; `hush` is private. */
export const objectsWithFacts = [
  ...pods,
  ...basics,
  ...volumes,
  ...workloads,
  ...others,
  ...secrets,
];
