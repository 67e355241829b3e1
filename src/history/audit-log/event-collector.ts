import { minute } from '../../kube/time.ts';
import { auditPartsIn } from './audit-formats.ts';
import type { AuditLog } from './audit-log.ts';
import type { AuditTexts } from './audit-texts.ts';
import { auditedRequestOf } from './audited-request-of.ts';
import { type EventFields, eventFieldsOf, preciseTimeIn } from './event-fields.ts';
import { KeptRequests, type LogScope } from './kept-requests.ts';
import { metadataEventIn } from './metadata-event.ts';
import { firstFieldsOf } from './unneeded-events.ts';

export interface CollectorOptions extends LogScope {
  /** Keep the addresses of clients. */
  readonly addresses?: boolean;
}

/** In a cluster that works, some client writes more often than that. */
const shortestGap = 5 * minute;
const mostGaps = 3;

/** More problems are only counted. */
const mostProblems = 20;

/** What all files together have brought so far. */
export class EventCollector {
  events = 0;
  readonly #kept: KeptRequests;
  readonly #problems: string[] = [];
  #furtherProblems = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;
  /** Minutes since the epoch that have an event. */
  readonly #minutes = new Set<number>();
  #lastMinute = Number.NaN;
  readonly keepsAddresses: boolean;

  constructor(options: CollectorOptions) {
    this.#kept = new KeptRequests(options);
    this.keepsAddresses = options.addresses ?? false;
  }

  beginFile(path: string): FileLog {
    this.#kept.beginFile();
    return new FileLog(path, this);
  }

  /** `undefined`: an event without a time. */
  add(event: EventFields | undefined): boolean {
    this.events++;
    if (!event) return false;
    this.addTime(event.answeredAt);
    const request = event.isAnswered ? auditedRequestOf(event, this.keepsAddresses) : undefined;
    if (request && request.status < 400) this.#kept.add(request);
    return true;
  }

  addTime(time: number): void {
    this.#from = Math.min(this.#from, time);
    this.#to = Math.max(this.#to, time);
    const at = Math.floor(time / minute);
    if (at === this.#lastMinute) return;
    this.#lastMinute = at;
    this.#minutes.add(at);
  }

  addProblems(problems: readonly string[], further: number): void {
    const room = mostProblems - this.#problems.length;
    this.#problems.push(...problems.slice(0, room));
    this.#furtherProblems += further + Math.max(problems.length - room, 0);
  }

  #gaps(): AuditLog['gaps'] {
    const minutes = [...this.#minutes].sort((a, b) => a - b);
    return minutes
      .map((at, index) => ({ from: ((minutes[index - 1] ?? at) + 1) * minute, to: at * minute }))
      .filter(({ from, to }) => to - from >= shortestGap)
      .sort((a, b) => b.to - b.from - (a.to - a.from))
      .slice(0, mostGaps);
  }

  auditLog(): AuditLog {
    const further = this.#furtherProblems;
    return {
      requests: this.#kept.sorted(),
      from: Number.isFinite(this.#from) ? this.#from : undefined,
      to: Number.isFinite(this.#to) ? this.#to : undefined,
      gaps: this.#gaps(),
      events: this.events,
      problems: further > 0 ? [...this.#problems, `and ${further} more`] : this.#problems,
    };
  }
}

/** What one file brings. */
class FileLog implements AuditTexts {
  hasEvents = false;
  readonly #path: string;
  readonly #collector: EventCollector;
  readonly #problems: string[] = [];
  #furtherProblems = 0;
  /** Of the events that are not parsed, as the API server writes them: then order of text is order of time. */
  #firstTime = '~';
  #lastTime = '';
  #lastMinute = '?';

  constructor(path: string, collector: EventCollector) {
    this.#path = path;
    this.#collector = collector;
  }

  takes(line: string): boolean {
    const first = firstFieldsOf(line);
    if (!first) return false;
    if (!first.isNeeded) {
      // After a crash of the API server another event may stand on the line of one that is cut off.
      return !line.includes(idField, first.end) && this.#passBy(line.slice(-lastFieldsLength));
    }
    const event = this.#collector.keepsAddresses ? undefined : metadataEventIn(line, first);
    return event !== undefined && this.#add(event);
  }

  text(text: string, line: number, isMessage = false): boolean {
    if (this.takes(text)) return true;
    try {
      this.value(JSON.parse(text), line, isMessage);
      return true;
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  }

  /** `isMessage`: other components of a control plane write messages to the same logs of a cloud. */
  value(value: unknown, line: number, isMessage = false): void {
    for (const part of auditPartsIn(value)) {
      if (part === undefined) {
        if (!isMessage) this.problem('no audit event', line);
      } else if (typeof part === 'string') {
        if (!this.text(part, line, true)) this.problem('invalid JSON in a message', line);
      } else {
        if (!this.#add(eventFieldsOf(part))) this.problem('an event without a time', line);
      }
    }
  }

  /** Answers whether the event has a time. */
  #add(event: EventFields | undefined): boolean {
    this.hasEvents = true;
    return this.#collector.add(event);
  }

  /** Counts an event by its last fields; answers whether its time is among them. */
  #passBy(end: string): boolean {
    const at = end.lastIndexOf(timeField);
    const time = end.slice(at + timeField.length, at + timeField.length + timeLength);
    if (at < 0 || !time.endsWith('Z')) return false;
    if (time > this.#lastTime) this.#lastTime = time;
    if (time < this.#firstTime) this.#firstTime = time;
    if (!time.startsWith(this.#lastMinute)) {
      this.#lastMinute = time.slice(0, minuteLength);
      const passed = preciseTimeIn(time);
      if (passed !== undefined) this.#collector.addTime(passed);
    }
    this.hasEvents = true;
    this.#collector.events++;
    return true;
  }

  problem(message: string, line?: number): void {
    const place = line === undefined ? this.#path : `${this.#path}:${line}`;
    if (this.#problems.length < mostProblems) this.#problems.push(`${place}: ${message}`);
    else this.#furtherProblems++;
  }

  /** `isLog`: it was named as one, or has the name of one. */
  end(isLog: boolean): void {
    for (const time of [this.#firstTime, this.#lastTime].map(preciseTimeIn)) {
      if (time !== undefined) this.#collector.addTime(time);
    }
    if (!this.hasEvents && !isLog) return;
    if (!this.hasEvents) this.problem('no audit events');
    this.#collector.addProblems(this.#problems, this.#furtherProblems);
  }
}

const idField = '"auditID":"';
/** In the last fields of an event, in front of its annotations. */
const timeField = '"stageTimestamp":"';
const minuteLength = '2026-01-01T00:00'.length;
const timeLength = '2026-01-01T00:00:00.000000Z'.length;
const lastFieldsLength = 512;
