import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ForecastItem, ForecastReport } from '../../src/questions/forecast/document.ts';
import { askingOf } from '../support/asking.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { hasUsefulFirstPass } from '../support/played-minor.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chainClusters } from './chain-clusters.ts';
import { randomFrom } from './seeded-random.ts';

/**
 * Deletions that follow from each other, among real controllers that ran before: each comes in the range that was
 * forecast, and what is forecast for certain comes. `CLUSTERS=200` plays so many, in batches of 50, and `SEED` others.
 */
const clusters = Number(process.env.CLUSTERS ?? 14);
const batch = 50;
/** What a busy machine takes between a deletion and the look that finds it, in milliseconds. */
const slack = 3_000;

// What is not ready is not to be tainted meanwhile.
const controllers = ['*', '-node-lifecycle-controller'];
const plane = await ownControlPlane({ controllers });
const { json } = askingOf(plane);
const settings = join(temporaryFolder(), 'settings.json');
writeFileSync(settings, JSON.stringify({ controllers }));

const watchedKinds = [
  '/api/v1/pods',
  '/api/v1/persistentvolumeclaims',
  '/api/v1/persistentvolumes',
  '/api/v1/configmaps',
  '/apis/batch/v1/jobs',
  '/apis/resource.k8s.io/v1/resourceclaims',
  '/apis/networking.k8s.io/v1/ipaddresses',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests',
];

interface Seen {
  readonly object: KubeObject;
  /** Epoch milliseconds: when it was seen last. */
  at: number;
  /** When it was missed. */
  missed?: number;
}

test(`what follows from deletions in ${clusters} random clusters comes when it was forecast`, async () => {
  const random = randomFrom(Number(process.env.SEED ?? 52));
  const wrong: string[] = [];
  let follows = 0;
  let ended = 0;
  for (let from = 0; from < clusters; from += batch) {
    const count = Math.min(batch, clusters - from);
    const made = chainClusters(from, count, random, Date.now());
    await plane.putObjects(made.objects);
    await Promise.all(made.leavingNodes.map((name) => plane.remove(`Node ${name}`)));
    const report = await json<ForecastReport>(`forecast -A --within 10m --settings ${settings}`);
    const { items } = report;
    const uids = new Set(made.objects.map(({ metadata }) => metadata.uid));
    const mine = ({ metadata: { namespace, uid } }: KubeObject) =>
      uids.has(uid) || made.names.includes(`${namespace}`);
    const seen = new Map<string, Seen>();
    await watch(seen, mine, items.filter(isDue).map(uidOfItem), 130_000);
    const requested = items.filter(followsRequest).map(uidOfItem);
    if (hasUsefulFirstPass) {
      await cleanRequests(() => watch(seen, mine, requested, 60_000));
      wrong.push(...requested.flatMap((uid) => (seen.get(uid)?.missed ? [] : `${uid} remains`)));
    }
    follows += items.filter((item) => item.follows).length;
    ended += [...seen.values()].filter(({ missed }) => missed).length;
    wrong.push(...wrongIn(items, seen));
  }
  expect(wrong).toEqual([]);
  expect(ended).toBeGreaterThan(clusters);
  expect(follows).toBeGreaterThan(clusters);
}, 1_000_000);

const uidOfItem = ({ object: { uid } }: ForecastItem) => uid ?? '';

/** Is it a signing request, or deleted after one? */
function followsRequest({ object: { kind, name } }: ForecastItem): boolean {
  return kind === 'CertificateSigningRequest' || name === 'of-request';
}

/**
 * The cleaner of signing requests passes once an hour, and finds none in its first pass, before its cache is filled. With
 * pauses between the starts of controllers that pass finds them.
 */
async function cleanRequests(whileItPasses: () => Promise<void>): Promise<void> {
  await plane.stopControllers();
  await plane.startControllers(
    ['certificatesigningrequest-cleaner-controller', 'garbage-collector-controller'],
    ['--controller-start-interval=3s'],
  );
  await whileItPasses();
  await plane.stopControllers();
  await plane.startControllers(controllers);
}

/** Notes what is there and what is missed, until these objects are gone or the time is over. */
async function watch(
  seen: Map<string, Seen>,
  isMine: (object: KubeObject) => boolean,
  awaited: readonly string[],
  duration: number,
): Promise<void> {
  const end = Date.now() + duration;
  while (Date.now() < end) {
    const before = Date.now();
    const lists = await Promise.all(watchedKinds.map((path) => plane.list<KubeObject>(path)));
    const after = Date.now();
    const there = new Map(
      lists
        .flat()
        .filter(isMine)
        .map((object) => [`${object.metadata.uid}`, object]),
    );
    for (const [uid, object] of there) seen.set(uid, { object, at: before });
    for (const [uid, one] of seen) if (!there.has(uid)) one.missed ??= after;
    if (awaited.every((uid) => !there.has(uid))) break;
    await sleep(500);
  }
}

/** Is it said that the object is gone within the time that is watched? */
function isDue({ action, confidence, gone }: ForecastItem): boolean {
  const end = gone?.notAfter;
  return (
    action === 'delete' &&
    confidence === 'certain' &&
    end !== undefined &&
    Date.parse(end) < Date.now() + 120_000
  );
}

function wrongIn(items: readonly ForecastItem[], seen: ReadonlyMap<string, Seen>): string[] {
  const byUid = Map.groupBy(items, ({ object }) => object.uid);
  return [...seen].flatMap(([uid, { object, at, missed }]) => {
    const name = `${object.kind ?? ''} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const own = byUid.get(uid) ?? [];
    const ends = own.flatMap(({ gone }) => gone ?? []);
    if (missed === undefined) {
      return own.some(isDue) &&
        ends.every(({ notAfter }) => Date.parse(notAfter ?? '') + slack < at)
        ? [`${name} was not deleted: ${JSON.stringify([ends, object])}`]
        : [];
    }
    if (own.length === 0) return [`${name} was deleted, and nothing was forecast`];
    const isIn = own.some(({ notBefore, gone = { notBefore } }) => {
      const { notBefore: first, notAfter } = gone as { notBefore: string; notAfter?: string };
      const isOver = notAfter !== undefined && at > Date.parse(notAfter) + slack;
      return missed >= Date.parse(first) && !isOver;
    });
    return isIn
      ? []
      : [
          `${name} was deleted ${new Date(at).toISOString()}..${new Date(missed).toISOString()}: ${JSON.stringify(own.map(({ rule, notBefore, notAfter, gone }) => ({ rule, notBefore, notAfter, gone })))}`,
        ];
  });
}
