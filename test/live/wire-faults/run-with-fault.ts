import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../../support/cluster.ts';
import type { Run } from '../../support/command-line.ts';
import { gc } from '../../support/run-gc.ts';
import { gcHere } from '../../support/run-here.ts';
import type { ProxiedRequest, TestProxy } from '../proxy.ts';
import type { Random } from '../seeded-random.ts';
import { type Fault, type Sort, sortOf } from './faults.ts';
import { look, namespace, plant, type Seen, type Sight } from './garden.ts';
import { type Line, lines } from './lines.ts';

/** What a line does when nothing is in its way. */
interface Course {
  readonly run: Run;
  readonly answer: string;
  /** How many requests of each sort it sends. */
  readonly sent: ReadonlyMap<Sort, number>;
  /** What it changes: the content of each object in the end, undefined where there is none. */
  readonly changed: ReadonlyMap<string, string | undefined>;
}

type Scope = 'once' | 'this path' | 'this sort' | 'everything';

export interface Trial {
  readonly id: string;
  readonly fault: string;
  readonly line: string;
  readonly code: number;
  readonly struck: number;
  readonly isComplete: boolean;
  readonly seconds: number;
  readonly faults: readonly string[];
  readonly run: Run;
}

/** Beyond this a run hangs: writes are sent again up to five times, as late as 30 s after a busy server's answer. */
const longest = 170_000;

/** Runs the lines one after the other, each with one fault, and looks at the cluster afterwards. */
export class Trials {
  readonly #plane: Cluster;
  readonly #proxy: TestProxy;
  readonly #kubeconfig: string;
  readonly #strangers: () => number;
  readonly #courses = new Map<Line, Course>();
  readonly #home = mkdtempSync(join(tmpdir(), 'kubectl-gc-faults-'));
  #backup = '';
  #sight: Sight = new Map();

  /** `strangers`: how many connections another server has seen. */
  constructor(plane: Cluster, proxy: TestProxy, kubeconfig: string, strangers: () => number) {
    this.#plane = plane;
    this.#proxy = proxy;
    this.#kubeconfig = kubeconfig;
    this.#strangers = strangers;
  }

  /** Makes the cluster, and the backup that is restored. */
  async prepare(): Promise<void> {
    this.#backup = join(this.#home, 'lost');
    await plant(this.#plane, 'lost');
    const line = `delete configmap/lost -n ${namespace} --yes --timeout 30s --backup BACKUP`;
    const { code, stderr } = await this.#call(line, '');
    if (code !== 0) throw new Error(stderr);
    this.#sight = await plant(this.#plane, undefined);
  }

  close(): void {
    rmSync(this.#home, { recursive: true });
  }

  async trial(
    seed: number,
    random: Random,
    faults: readonly ((random: Random) => Fault)[],
  ): Promise<Trial> {
    const line = lines[random(lines.length)] as Line;
    const course = await this.#courseOf(line);
    const fault = (faults[random(faults.length)] as (typeof faults)[number])(random);
    const sorts = [...course.sent.keys()].filter((sort) => fault.only?.includes(sort) ?? true);
    const sort = sorts[random(sorts.length)] as Sort;
    const nth = random(course.sent.get(sort) ?? 1);
    const scope = fault.whole ? 'once' : (scopes[random(scopes.length)] as Scope);
    const inProcess = random(10) > 0 && !line.needsProcess;
    const verbose = random(4) === 0 ? ' -v=9' : '';
    const folder = this.#folder();
    const start = this.#sight;
    if (line.first) await this.#call(line.first, folder);
    const aim = aimAt(fault, sort, nth, scope);
    this.#proxy.forget();
    this.#proxy.before = aim.before;
    const strangers = this.#strangers();
    const began = performance.now();
    const limit = fault.whole ? ' --request-timeout 30s' : ' --request-timeout 1s';
    const asked = `${fault.whole ? line.line.replace('8s', '90s') : line.line}${limit}${verbose}`;
    const told = () =>
      `${seed}: ${line.line}: ${fault.name} for ${scope} from ${sort} ${nth + 1} on (struck ${aim.struck()}: ${aim.met()?.method} ${aim.met()?.path})`;
    const run = await this.#call(asked, folder, inProcess).catch((error) => {
      throw new Error(told(), { cause: error });
    });
    const seconds = (performance.now() - began) / 1000;
    this.#proxy.before = () => undefined;
    await fault.whole?.();
    const strays = this.#proxy.strays.length + this.#strangers() - strangers;
    this.#proxy.forget();
    const struck = aim.struck();
    const end = await look(this.#plane);
    const answer = answerOf(run, folder, start);
    const isComplete = run.code === course.run.code && answer === course.answer;
    const wrong = [
      ...(strays > 0 ? [`${strays} requests to another server`] : []),
      ...this.#secrets(run),
      ...unplanned(start, end, course),
      ...(line.changes
        ? wrongEnd(run, start, end, course)
        : fault.whole && run.code === course.run.code
          ? // A server that starts again writes objects of its own.
            []
          : wrongAnswer(run, answer, course, line.line)),
      ...(run.code === course.run.code ? [] : unexplained(run, aim.met())),
    ];
    const isDone = run.code === course.run.code && isAt(end, start, course);
    if (line.changes && !isDone) {
      const more = line.again ?? line.line;
      const again = await this.#call(more, folder);
      const last = await look(this.#plane);
      if (!isAt(last, start, course)) {
        wrong.push(`the rerun leaves others: ${again.code} ${again.stderr}`);
      } else if (again.code !== 0 && !isAt(end, start, course)) {
        wrong.push(`the rerun exits with ${again.code}: ${again.stderr}`);
      }
    }
    await this.#restore(await look(this.#plane));
    rmSync(folder, { recursive: true, force: true });
    const id = told();
    return {
      id,
      fault: fault.name,
      line: line.line,
      code: run.code,
      struck,
      isComplete,
      seconds,
      faults: wrong,
      run,
    };
  }

  async #courseOf(line: Line): Promise<Course> {
    const known = this.#courses.get(line);
    if (known) return known;
    const folder = this.#folder();
    const start = this.#sight;
    if (line.first) await this.#call(line.first, folder);
    const sent = new Map<Sort, number>();
    this.#proxy.before = (request, body) => {
      const sort = sortOf(request, body);
      sent.set(sort, (sent.get(sort) ?? 0) + 1);
      return undefined;
    };
    const run = await this.#call(line.line.replace('8s', '90s'), folder, !line.needsProcess);
    this.#proxy.before = () => undefined;
    const end = await look(this.#plane);
    const changed = new Map<string, string | undefined>();
    for (const key of new Set([...start.keys(), ...end.keys()])) {
      const { uid, version } = start.get(key) ?? {};
      const now = end.get(key);
      if (uid === now?.uid && version === now?.version) continue;
      changed.set(key, contentOf(now, end));
    }
    if (run.code > 1 || (run.code === 1 && !line.line.startsWith('audit'))) {
      throw new Error(`${line.line} ends with ${run.code}: ${run.stderr}`);
    }
    const course = { run, answer: answerOf(run, folder, start), sent, changed };
    this.#courses.set(line, course);
    await this.#restore(end);
    rmSync(folder, { recursive: true, force: true });
    return course;
  }

  /** Plants again where something is not as it was. */
  async #restore(end: Sight): Promise<void> {
    const isSame = [...end].every(
      ([key, { version }]) => this.#sight.get(key)?.version === version,
    );
    if (isSame && end.size === this.#sight.size) return;
    this.#sight = await plant(this.#plane, undefined);
  }

  #folder(): string {
    const folder = mkdtempSync(join(this.#home, 'run-'));
    const root = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'root', namespace } };
    writeFileSync(join(folder, 'root.json'), JSON.stringify(root));
    return folder;
  }

  async #call(line: string, folder: string, inProcess = true): Promise<Run> {
    const filled = line.replaceAll('FOLDER', folder).replaceAll('BACKUP', this.#backup);
    const env = {
      KUBECONFIG: this.#kubeconfig,
      NO_COLOR: '1',
      KUBECTL_GC_BACKUP_DIR: join(this.#home, 'kept'),
    };
    let timer: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${line} hangs`)), longest);
    });
    const run = inProcess ? gcHere(filled, env) : gc(filled, { env });
    return Promise.race([run, hangs]).finally(() => clearTimeout(timer));
  }

  #secrets({ stdout, stderr }: Run): string[] {
    return `${stdout}${stderr}`.includes(this.#plane.adminToken) ? ['the token is shown'] : [];
  }
}

/** A fault for good is rarer: it is the one that ends most runs soon. */
const scopes: readonly Scope[] = [
  'once',
  'once',
  'this path',
  'this path',
  'this sort',
  'everything',
];

/** Lets a fault strike the n-th request of a sort, and what follows by the scope. */
function aimAt(fault: Fault, sort: Sort, nth: number, scope: Scope) {
  let seen = 0;
  let struck = 0;
  let met: ProxiedRequest | undefined;
  const before: TestProxy['before'] = (request, body) => {
    const sortOfThis = sortOf(request, body);
    const isOfSort = sortOfThis === sort || (sort === 'list' && sortOfThis === 'page');
    if (isOfSort) seen += 1;
    if (seen <= nth) return undefined;
    const isFirst = met === undefined && isOfSort;
    if (isFirst) met = request;
    const isMet =
      isFirst ||
      (scope === 'this path' && isOfSort && withoutQuery(request) === withoutQuery(met)) ||
      (scope === 'this sort' && isOfSort) ||
      (scope === 'everything' && met !== undefined && (fault.only?.includes(sortOfThis) ?? true));
    if (!isMet) return undefined;
    struck += 1;
    return fault.strike(request, struck);
  };
  return { before, struck: () => struck, met: () => met };
}

const withoutQuery = (request: ProxiedRequest | undefined) => request?.path.replace(/\?.*/, '');

/** What is as it was, or as the line would have made it, and what was made or changed besides. */
function unplanned(start: Sight, end: Sight, { changed }: Course): string[] {
  const wrong: string[] = [];
  for (const [key, { uid, version }] of start) {
    if (changed.has(key)) continue;
    const now = end.get(key);
    if (now?.uid !== uid) wrong.push(`${key} is gone, which was not planned`);
    else if (now.version !== version) wrong.push(`${key} was changed, which was not planned`);
  }
  for (const key of end.keys()) {
    if (!start.has(key) && !changed.has(key)) wrong.push(`${key} was made, which was not planned`);
  }
  return wrong;
}

/** The content of an object with the names of its owners instead of their uids. */
function contentOf(seen: Seen | undefined, sight: Sight): string | undefined {
  return seen && named(seen.content, sight).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
}

function named(text: string, sight: Sight): string {
  let told = text;
  for (const [key, { uid }] of sight) told = told.replaceAll(uid, key);
  return told;
}

/** Is all that the line changes as it makes it? */
function isAt(end: Sight, start: Sight, { changed }: Course): boolean {
  return [...changed].every(([key, content]) => {
    const now = contentOf(end.get(key), new Map([...start, ...end]));
    return now === content;
  });
}

function wrongEnd({ code, stderr }: Run, start: Sight, end: Sight, course: Course): string[] {
  if (code === 0) {
    const isReported = /in what could be read/.test(stderr);
    return isReported || isAt(end, start, course) ? [] : ['exit code 0, incomplete'];
  }
  if (code === 4) return [];
  const touched = [...course.changed.keys()].filter(
    (key) => start.get(key)?.version !== end.get(key)?.version,
  );
  if (code !== 3) return [`exit code ${code}`];
  // A fix that was sent to some of its objects ends so, too.
  if (touched.length === 0 || /patched|Done: /.test(stderr)) return [];
  return [`exit code 3, and ${touched} changed`];
}

/** The document without what differs from run to run. */
function answerOf({ stdout }: Run, folder: string, sight: Sight): string {
  const file = join(folder, 'answer');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : stdout;
  return (
    named(text, sight)
      .replaceAll(folder, 'FOLDER')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'TIME')
      .replaceAll(/("?resourceVersion"?: *)"\d+"/g, '$1""')
      // Which cluster it is may be unread; that is no part of the answer.
      .replaceAll(/"(cluster|digest)": (\{[^}]*\}|"[^"]*")/g, '"$1": ""')
      .replaceAll(/_seconds(\{[^}]*\})? [\d.e+-]+/g, '_seconds$1')
      .replaceAll(/_timestamp(\{[^}]*\})? [\d.e+-]+/g, '_timestamp$1')
  );
}

function wrongAnswer(run: Run, answer: string, course: Course, line: string): string[] {
  const { code, stdout, stderr } = run;
  if (code === course.run.code && answer === course.answer) return [];
  if (line.startsWith('__complete')) {
    const known = new Set(course.run.stdout.split('\n'));
    return code === 0 && stdout.split('\n').every((one) => known.has(one))
      ? []
      : ['other completions'];
  }
  if (code === 3) {
    // An audit that could not read all is printed.
    return stdout === '' || /^\{"event"|"complete": false/.test(stdout) || /audit|report/.test(line)
      ? []
      : ['exit code 3, complete answer'];
  }
  // A kind that the server does not list is a finding of its own.
  const isFound = code === 1 && /"unlistable-kind",\n *"severity"/.test(stdout);
  if (code !== course.run.code && !isFound) return [`exit code ${code}`];
  // A diagnosis names each dry run that was not judged in its evidence.
  const states = (text: string) => itemsOf(text).map((item) => JSON.parse(item).state);
  const known = states(course.answer);
  if (line.startsWith('why') && /would be refused|could not|unread|not read/.test(stdout)) {
    const isSame = states(answer).every((state, at) => state === 'unknown' || state === known[at]);
    if (isSame) return [];
  }
  if (!/"complete": ?false|Warning: /.test(stdout + stderr)) {
    return ['another answer, not marked incomplete'];
  }
  // A setting that one place did not tell may be told by another.
  const wrong = line.startsWith('settings') ? [] : overclaims(answer, course);
  if (!/^Warning: /m.test(stderr)) wrong.push('incomplete, without a warning');
  return wrong;
}

/** What an incomplete answer says for certain and the whole one does not. */
function overclaims(answer: string, course: Course): string[] {
  const known = new Set(itemsOf(course.answer));
  const isOpen = (item: string) => /unknown|"likely"|not read|at least|"truncated"/.test(item);
  const said = itemsOf(answer).filter((item) => !known.has(item) && !isOpen(item));
  return said.map((item) => `it is certain of ${item}`);
}

function itemsOf(text: string): string[] {
  if (!text.startsWith('{')) return [];
  const { items } = JSON.parse(text) as { items?: unknown };
  return Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : [];
}

/** stderr says that it failed, and where: the server, the path, or the kind. */
function unexplained({ stderr }: Run, met: ProxiedRequest | undefined): string[] {
  if (!/^(error|Warning|Error from server.*): |\b(not|unknown|refuse[ds])\b/m.test(stderr))
    return ['no error on stderr'];
  if (/this is a bug/.test(stderr)) return ['reported as a bug'];
  const words = (withoutQuery(met) ?? '').split('/').filter((word) => word.length > 3);
  const isPlaced =
    /127\.0\.0\.1|cluster|server|configmap|secret|pod|job|namespace/i.test(stderr) ||
    words.some((word) => stderr.includes(word));
  return isPlaced ? [] : ['no place on stderr'];
}
