import type { PropagationPolicy } from '../controllers/garbage-collector/judge.ts';
import {
  parseSimulationSettings,
  type SimulationSettings,
} from '../controllers/settings/controller-settings.ts';
import { GcError, usageError } from '../errors.ts';
import { parseGoDuration } from '../kube/go-syntax.ts';
import { type Json, jsonOf } from '../kube/json-value.ts';
import { parseLabelSelector } from '../kube/label-selector.ts';
import type {
  DeleteOptions,
  PatchType,
  Preconditions,
  SimulatedRequest,
} from './api-server/request.ts';
import type { Start } from './simulation-input.ts';

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
  const known = ['apiVersion', 'kind', 'settings', 'requests', 'start', 'duration'];
  const fields = scenarioFieldsOf(value, '', known);
  const { apiVersion, kind, settings, requests, start } = fields;
  if (apiVersion !== 'kubectl-gc/v1') throw invalidScenario('apiVersion', 'is not kubectl-gc/v1');
  if (kind !== 'Scenario') throw invalidScenario('kind', 'is not Scenario');
  return {
    settings: settings === undefined ? undefined : parseSimulationSettings(settings, 'settings'),
    requests: parseRequests(requests ?? [], 'requests'),
    start: parseStart(start, 'start'),
    duration: parseDuration(fields.duration, 'duration'),
  };
}

export function parseStart(value: unknown, place: string): Start | undefined {
  if (value === undefined || value === 'running' || value === 'after-requests') return value;
  throw invalidScenario(place, 'is neither running nor after-requests');
}

/** A Go duration in milliseconds, not before now: `30s`, `10m`, `1h30m`, `500ms`. */
export function parseDuration(value: unknown, place: string): number | undefined {
  if (value === undefined) return undefined;
  const milliseconds = typeof value === 'string' ? parseGoDuration(value) : undefined;
  if (milliseconds !== undefined && milliseconds >= 0) return milliseconds;
  throw invalidScenario(place, 'is not a duration such as 30s, 10m or 1h30m');
}

/** Checks a list of requests that stands at `place`. */
export function parseRequests(value: unknown, place: string): SimulatedRequest[] {
  if (!Array.isArray(value)) throw invalidScenario(place, 'is not a list');
  return value.map((entry, index) => parseRequest(entry, `${place}[${index}]`));
}

const addressFields = ['verb', 'apiVersion', 'kind', 'namespace', 'after'];
const deleteFields = [
  'propagationPolicy',
  'orphanDependents',
  'gracePeriodSeconds',
  'preconditions',
  'dryRun',
];
const fieldsOfVerb: Readonly<Record<string, readonly string[]>> = {
  delete: ['name', ...deleteFields],
  deletecollection: ['labelSelector', ...deleteFields],
  patch: ['name', 'patchType', 'patch', 'removeFinalizers', 'dryRun'],
  update: ['name', 'object', 'dryRun'],
  create: ['name', 'object', 'dryRun'],
};

function parseRequest(value: unknown, place: string): SimulatedRequest {
  const verb = jsonOf(value)?.verb;
  const known =
    typeof verb === 'string' && Object.hasOwn(fieldsOfVerb, verb) ? fieldsOfVerb[verb] : undefined;
  if (!known) {
    const verbs = Object.keys(fieldsOfVerb).join(', ');
    scenarioFieldsOf(value, place, Object.keys(value ?? {}));
    throw invalidScenario(`${place}.verb`, `is none of ${verbs}`);
  }
  const fields = scenarioFieldsOf(value, place, [...addressFields, ...known]);
  const address = {
    apiVersion: requiredText(fields, 'apiVersion', place),
    kind: requiredText(fields, 'kind', place),
    namespace: optionalText(fields, 'namespace', place) ?? '',
    after: parseDuration(fields.after, `${place}.after`) ?? 0,
  };
  switch (verb) {
    case 'delete': {
      const name = requiredText(fields, 'name', place);
      return { ...address, verb, name, options: deleteOptions(fields, place) };
    }
    case 'deletecollection': {
      const labelSelector = optionalText(fields, 'labelSelector', place);
      checkSelector(labelSelector, `${place}.labelSelector`);
      return { ...address, verb, labelSelector, options: deleteOptions(fields, place) };
    }
    case 'patch': {
      const name = requiredText(fields, 'name', place);
      const dryRun = isDryRun(fields, place);
      return { ...address, verb, name, ...patchOf(fields, place), dryRun };
    }
    default: {
      const object = jsonOf(fields.object);
      if (!object) throw invalidScenario(`${place}.object`, 'is not an object');
      const name = requiredText(fields, 'name', place);
      const dryRun = isDryRun(fields, place);
      return { ...address, verb: verb as 'update', name, object, dryRun };
    }
  }
}

const policies: readonly PropagationPolicy[] = ['Background', 'Foreground', 'Orphan'];

/** An unknown policy is a mistake in the scenario; what the API server refuses gets its reply. */
function deleteOptions(fields: ScenarioFields, place: string): DeleteOptions {
  const given = optionalText(fields, 'propagationPolicy', place);
  const propagationPolicy = policies.find((policy) => policy === given);
  if (given !== undefined && !propagationPolicy) {
    throw invalidScenario(
      `${place}.propagationPolicy`,
      `"${given}" is none of ${policies.join(', ')}`,
    );
  }
  const orphanDependents = optionalBoolean(fields, 'orphanDependents', place);
  const gracePeriodSeconds = optionalNumber(fields, 'gracePeriodSeconds', place);
  const preconditions = preconditionsOf(fields.preconditions, `${place}.preconditions`);
  return {
    ...(propagationPolicy && { propagationPolicy }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions && { preconditions }),
    ...(isDryRun(fields, place) && { dryRun: true }),
  };
}

function preconditionsOf(value: unknown, place: string): Preconditions | undefined {
  if (value === undefined) return undefined;
  const fields = scenarioFieldsOf(value, place, ['uid', 'resourceVersion']);
  const uid = optionalText(fields, 'uid', place);
  const resourceVersion = optionalText(fields, 'resourceVersion', place);
  return {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** `dryRun: [All]`, as in DeleteOptions, or `All`. */
function isDryRun({ dryRun }: ScenarioFields, place: string): boolean {
  if (dryRun === undefined) return false;
  const entries = Array.isArray(dryRun) ? dryRun : [dryRun];
  if (!entries.every((entry) => entry === 'All')) {
    throw invalidScenario(`${place}.dryRun`, 'is not All');
  }
  return entries.length > 0;
}

function patchOf(
  fields: ScenarioFields,
  place: string,
): { readonly patchType: PatchType; readonly patch: unknown } {
  const { patch, removeFinalizers: names } = fields;
  if (names !== undefined) {
    const at = `${place}.removeFinalizers`;
    if (!Array.isArray(names)) throw invalidScenario(at, 'is not a list of finalizers');
    if (patch !== undefined) throw invalidScenario(at, 'cannot stand beside a patch');
    return { patchType: 'remove-finalizers', patch: names };
  }
  if (patch === undefined) throw invalidScenario(`${place}.patch`, 'is missing');
  return { patchType: patchTypeOf(fields, place), patch };
}

function patchTypeOf(fields: ScenarioFields, place: string): PatchType {
  const type = optionalText(fields, 'patchType', place) ?? 'merge';
  if (type === 'merge' || type === 'strategic' || type === 'json') return type;
  throw invalidScenario(`${place}.patchType`, 'is none of merge, strategic, json');
}

function checkSelector(selector: string | undefined, place: string): void {
  try {
    parseLabelSelector(selector ?? '');
  } catch (error) {
    if (!(error instanceof GcError)) throw error;
    throw usageError(`${place}: ${error.message}`, error.advice);
  }
}

/** A mapping of a scenario whose fields are known by name and not yet by type. */
type ScenarioFields = Json;

function invalidScenario(place: string, why: string): GcError {
  const where = place === '' ? 'the document' : place;
  return usageError(`the scenario cannot be played: ${where} ${why}`, [
    'docs/commands/simulate.md shows a whole scenario.',
  ]);
}

/** The value as a mapping with no other fields than these. */
function scenarioFieldsOf(value: unknown, place: string, known: readonly string[]): ScenarioFields {
  const fields = jsonOf(value);
  if (!fields) throw invalidScenario(place, 'is not a mapping');
  for (const field of Object.keys(fields)) {
    if (known.includes(field)) continue;
    const at = place === '' ? field : `${place}.${field}`;
    throw invalidScenario(at, `is not known here; fields are ${known.join(', ')}`);
  }
  return fields;
}

function requiredText(fields: ScenarioFields, field: string, place: string): string {
  const value = optionalText(fields, field, place);
  if (value) return value;
  throw invalidScenario(`${place}.${field}`, 'is missing');
}

const optionalText = optional((value) => typeof value === 'string', 'is not a string');
const optionalNumber = optional(
  (value): value is number => Number.isInteger(value),
  'is not a whole number',
);
const optionalBoolean = optional(
  (value) => typeof value === 'boolean',
  'is neither true nor false',
);

/** Reads a field that may be left out. */
function optional<T>(is: (value: unknown) => value is T, fault: string) {
  return (fields: ScenarioFields, field: string, place: string): T | undefined => {
    const value = fields[field];
    if (value === undefined || is(value)) return value;
    throw invalidScenario(`${place}.${field}`, fault);
  };
}
