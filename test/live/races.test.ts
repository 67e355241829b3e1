import { afterAll, beforeAll, test } from 'vitest';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { namespaceObject } from './dead-pods.ts';
import { forecastCourse, podGcCourse } from './races/apply-courses.ts';
import { fixFinalizerCourse, fixPodCourse, fixReferencesCourse } from './races/fix-courses.ts';
import { arena } from './races/other-client.ts';
import { RaceStage } from './races/race-stage.ts';
import { restoreCourse } from './races/restore-courses.ts';
import { racesFor, runRaces } from './races/run-races.ts';

/**
 * While a command looks and acts, somebody else changes one of its objects, before one of its requests
 * reaches the API server. Whatever the moment: each write is bound to the object as it was seen, changes
 * nothing but what the command is for, the exit code and stderr tell the truth, and a second run
 * completes the work. `delete` has its own races, as it follows the garbage collector.
 */
const races = racesFor(2);
let stage: RaceStage;

const plane = await ownControlPlane({ controllers: 'none' });
beforeAll(async () => {
  await plane.putObjects([namespaceObject(arena)]);
  stage = new RaceStage(plane);
});
afterAll(async () => {
  stage.close();
});

test.each([
  ['podgc-preview --apply', podGcCourse],
  ['forecast --apply', forecastCourse],
  ['invalid-ownerrefs --fix', fixReferencesCourse],
  ['why --fix of a finalizer', fixFinalizerCourse],
  ['why --fix of a pod', fixPodCourse],
  ['restore', restoreCourse],
])(
  '%s changes only objects in the state that it has read',
  {
    timeout: 60_000 + races.count * 20_000,
  },
  async (name, course) => {
    await runRaces(name, plane, races, (seed, random, proxy) =>
      stage.race(seed, random, proxy, course),
    );
  },
);
