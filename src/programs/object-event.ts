import { fieldsOf, type Json, pushTo, textOrEmpty } from '../kube/json-value.ts';
import { compareText } from '../kube/names.ts';
import type { ObjectReference } from '../kube/object-reference.ts';

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

/** The newest of each name, because a failing component repeats its report; in the order in which each name was reported first. */
export function newestOfEach<T extends { readonly time: string }>(
  told: readonly T[],
  nameOf: (one: T) => string,
): T[] {
  const inOrder = told.toSorted((a, b) => compareText(a.time, b.time));
  return [...new Map(inOrder.map((one) => [nameOf(one), one])).values()];
}

/** The Events of an input, by the object that they are about. */
export class ReportedEvents {
  readonly #byPlace = new Map<string, ObjectEvent[]>();

  /** Takes any object; what is no Event is passed over. */
  add(object: Json): void {
    if (object.kind !== 'Event') return;
    this.take(objectEventOf(object));
  }

  take(event: ObjectEvent): void {
    pushTo(this.#byPlace, placeOf(event.about), event);
  }

  all(): readonly ObjectEvent[] {
    return [...this.#byPlace.values()].flat();
  }

  about(object: ObjectReference): readonly ObjectEvent[] {
    const events = this.#byPlace.get(placeOf(object)) ?? [];
    // A kubelet gives the name of its Node in the place of its uid.
    const isSame = ({ uid }: ObjectEvent['about']) =>
      uid === '' || object.uid === '' || uid === object.uid || object.kind === 'Node';
    return events.filter((event) => isSame(event.about));
  }
}

function placeOf({ kind, namespace, name }: ObjectEvent['about']): string {
  // Events about what is in no namespace are in `default`, and some say so of the object.
  return `${kind} ${namespace === 'default' ? '' : namespace}/${name}`;
}
