import { GcError, usageError } from '../../errors.ts';
import { parseLabelSelector } from '../../kube/label-selector.ts';
import type { SimulationSettings } from '../../settings/controller-settings.ts';
import { simulationSettings } from '../../settings/given-settings.ts';
import type {
  DeleteOptions,
  PatchType,
  SimulatedRequest,
} from '../../simulator/api-server/request.ts';
import type { Start } from '../../simulator/simulation-input.ts';
import {
  boolean,
  defaultTo,
  either,
  fields,
  InvalidDocument,
  list,
  mapping,
  matching,
  oneOf,
  onlyFields,
  optional,
  orUnset,
  readAs,
  type Schema,
  text,
} from '../../syntax/document-part.ts';
import { parseGoDuration } from '../../syntax/go-syntax.ts';

const any: Schema<unknown> = (value) => value;
const requiredName = matching(
  'a name',
  (value): value is string => typeof value === 'string' && value !== '',
);
const wholeNumber = matching('a whole number', (value): value is number => Number.isInteger(value));
/** A Go duration in milliseconds, not before now: `30s`, `10m`, `1h30m`, `500ms`. */
const duration = readAs('a duration such as 30s, 10m or 1h30m', (value) => {
  const milliseconds = typeof value === 'string' ? parseGoDuration(value) : undefined;
  return milliseconds !== undefined && milliseconds >= 0 ? milliseconds : undefined;
});
/** `[All]`, as in DeleteOptions, or `All`. */
const dryRun = readAs('All', (value) => {
  const entries = Array.isArray(value) ? value : [value];
  return entries.every((entry) => entry === 'All') ? entries.length > 0 : undefined;
});
const start: Schema<Start> = oneOf('running', 'after-requests');

const selector: Schema<string> = (value) => {
  const given = text(value);
  try {
    parseLabelSelector(given);
  } catch (error) {
    if (error instanceof GcError)
      throw new InvalidDocument(`is none: ${error.message}`, error.advice);
    throw error;
  }
  return given;
};

const address = {
  apiVersion: requiredName,
  kind: requiredName,
  namespace: defaultTo('', text),
  after: defaultTo(0, duration),
};

/** An unknown policy is a mistake in the scenario; what the API server refuses gets its reply. */
const options = {
  propagationPolicy: optional(oneOf('Background', 'Foreground', 'Orphan')),
  orphanDependents: optional(boolean),
  gracePeriodSeconds: optional(wholeNumber),
  preconditions: optional(onlyFields({ uid: optional(text), resourceVersion: optional(text) })),
  dryRun: optional(dryRun),
};
const optionsIn: Schema<DeleteOptions> = fields(options);

const deletionRequest = onlyFields({
  verb: oneOf('delete'),
  ...address,
  name: requiredName,
  ...options,
});
const collectionRequest = onlyFields({
  verb: oneOf('deletecollection'),
  ...address,
  labelSelector: orUnset(selector),
  ...options,
});
const change = {
  ...address,
  name: requiredName,
  dryRun: defaultTo(false, dryRun),
};
const patch = onlyFields({
  verb: oneOf('patch'),
  ...change,
  patchType: defaultTo<PatchType>('merge', oneOf('merge', 'strategic', 'json')),
  patch: any,
  removeFinalizers: optional(list(any)),
});

const request: Schema<SimulatedRequest> = either('verb', {
  delete: (value) => {
    const { verb, apiVersion, kind, namespace, after, name } = deletionRequest(value);
    return { verb, apiVersion, kind, namespace, after, name, options: optionsIn(value) };
  },
  deletecollection: (value) => {
    const { verb, apiVersion, kind, namespace, after, labelSelector } = collectionRequest(value);
    return { verb, apiVersion, kind, namespace, after, labelSelector, options: optionsIn(value) };
  },
  patch: (value) => {
    const { removeFinalizers: names, ...given } = patch(value);
    if (names === undefined) {
      if (given.patch === undefined) throw new InvalidDocument('has no patch');
      return given;
    }
    if (given.patch !== undefined) throw new InvalidDocument('has removeFinalizers beside a patch');
    return { ...given, patchType: 'remove-finalizers' as const, patch: names };
  },
  update: onlyFields({ verb: oneOf('update'), ...change, object: mapping }),
  create: onlyFields({ verb: oneOf('create'), ...change, object: mapping }),
});

const scenarioPart = onlyFields({
  apiVersion: oneOf('kubectl-gc/v1'),
  kind: oneOf('Scenario'),
  settings: orUnset(simulationSettings),
  requests: defaultTo([], list(request)),
  start: orUnset(start),
  duration: orUnset(duration),
});

/** What a scenario file says. */
export interface Scenario {
  /** Undefined when the file has none, so that a settings file counts. */
  readonly settings: SimulationSettings | undefined;
  readonly requests: readonly SimulatedRequest[];
  readonly start: Start | undefined;
  /** Milliseconds. */
  readonly duration: number | undefined;
}

/** Checks a Scenario document. Usage errors name the place in it: `requests[1].propagationPolicy`. */
export function parseScenario(value: unknown): Scenario {
  const { settings, requests, start, duration } = readField(scenarioPart, value, '');
  return { settings, requests, start, duration };
}

export function parseStart(value: unknown, place: string): Start | undefined {
  return readField(orUnset(start), value, place);
}

/** In milliseconds. */
export function parseDuration(value: unknown, place: string): number | undefined {
  return readField(orUnset(duration), value, place);
}

/** Checks a list of requests that stands at `place`. */
export function parseRequests(value: unknown, place: string): readonly SimulatedRequest[] {
  return readField(list(request), value, place);
}

function readField<T>(part: Schema<T>, value: unknown, place: string): T {
  try {
    return part(value);
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw usageError(`the scenario cannot be played: ${error.messageAt(place)}`, [
      ...error.hints,
      'docs/commands/simulate.md shows a whole scenario.',
    ]);
  }
}
