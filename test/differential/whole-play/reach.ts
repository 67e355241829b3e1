export { linksAmong, type Reach } from '../../../src/simulator/reach.ts';

/** Everything is played. */
export function reachOf(): undefined {
  return undefined;
}
