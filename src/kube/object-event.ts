import { fieldsOf, type Json, textOrEmpty } from './json-value.ts';
import { compareText } from './names.ts';

/** What an Event of either API group says of an object; what it leaves out is empty. */
export interface ObjectEvent {
  readonly about: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339: when it was seen last. */
  readonly time: string;
  /** The component that wrote it. */
  readonly reportedBy: string;
}

export function objectEventOf(event: Json): ObjectEvent {
  const about = fieldsOf(event.involvedObject ?? event.regarding);
  const series = fieldsOf(event.series);
  const { lastTimestamp, deprecatedLastTimestamp, eventTime, source, deprecatedSource } = event;
  const time = series.lastObservedTime ?? lastTimestamp ?? deprecatedLastTimestamp ?? eventTime;
  const by = event.reportingComponent ?? event.reportingController;
  return {
    about: {
      kind: textOrEmpty(about.kind),
      namespace: textOrEmpty(about.namespace),
      name: textOrEmpty(about.name),
      uid: textOrEmpty(about.uid),
    },
    isWarning: event.type === 'Warning',
    reason: textOrEmpty(event.reason),
    message: textOrEmpty(event.message ?? event.note),
    time: textOrEmpty(time),
    reportedBy: textOrEmpty(fieldsOf(source ?? deprecatedSource).component) || textOrEmpty(by),
  };
}

/** The newest of each name, as what fails goes on saying so; in the order in which each name was told first. */
export function newestOfEach<T extends { readonly time: string }>(
  told: readonly T[],
  nameOf: (one: T) => string,
): T[] {
  const inOrder = told.toSorted((a, b) => compareText(a.time, b.time));
  return [...new Map(inOrder.map((one) => [nameOf(one), one])).values()];
}
