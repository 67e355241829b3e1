import { automanaged } from '../../controllers/bookkeeping.ts';
import { isInUse } from '../../delivery/crossplane.ts';
import { inventoryOf, nameOfTool, verbOfTool } from '../../delivery/tools.ts';
import { counted, countsByKind, kindsInWords } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { customResourceDefinitions } from '../../kube/well-known-kinds.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import { kindsNotInInput } from '../../snapshot/graph/kinds-not-in-input.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** The content that is deleted with a namespace or a definition, by kind. */
export function contentRemarks(input: RemarkInput): PlanRemark[] {
  const { going, goingOf, snapshot, unreadContent } = input;
  const homes = goingOf('namespaces');
  const byNamespace = Map.groupBy(homes.length > 0 ? going : [], ({ record }) => record.namespace);
  const remarks: PlanRemark[] = [];
  for (const { record, identity } of homes) {
    const content = byNamespace.get(record.name) ?? [];
    const unseen = unreadContent(record);
    const isOpen = unseen.length > 0 || kindsNotInInput(snapshot, [record], true).length > 0;
    const number = `${isOpen ? 'at least' : 'the'} ${counted(content.length, 'object')}`;
    const seen =
      content.length === 0
        ? withoutContent(record.name, snapshot)
        : `Namespace ${record.name} is deleted with ${number} in it.`;
    const message =
      unseen.length === 0 ? seen : `${seen} Its ${kindsInWords(unseen)} could not be read.`;
    remarks.push({ code: 'namespace-content', severity: 'warning', message, objects: [identity] });
  }
  const coverage = coverageIndexOf(snapshot.coverage);
  for (const { record, identity } of goingOf(customResourceDefinitions)) {
    const type = snapshot.types.versions(record.name)[0];
    const instances = goingOf(record.name);
    const isRead = type !== undefined && coverage.coversKind(type, '');
    const homesOf = new Set(instances.map((object) => object.identity.namespace));
    const where =
      homesOf.size > 1 || !homesOf.has('') ? ` in ${counted(homesOf.size, 'namespace')}` : '';
    const kind = type?.kind ?? record.name;
    const least = isRead ? '' : 'at least ';
    const some = `with ${least}${instances.length} ${kind} ${instances.length === 1 ? 'object' : 'objects'}${where}, and with what depends on them`;
    const none = isRead ? 'and no instance of it exists' : 'and its instances were not read';
    const message = `CustomResourceDefinition ${record.name} is deleted ${instances.length > 0 ? some : none}. Afterwards the kind is not served any more, to anybody.`;
    const severity = isRead && instances.length === 0 ? 'note' : 'warning';
    remarks.push({ code: 'custom-resources', severity, message, objects: [identity] });
  }
  return remarks;
}

function withoutContent(name: string, { records }: RemarkInput['snapshot']): string {
  const staying = identitiesOf(records.filter(({ namespace }) => namespace === name));
  return staying.length === 0
    ? `Namespace ${name} is deleted, and nothing was seen in it.`
    : `Namespace ${name} is deleted, but what was seen in it does not go: ${countsByKind(staying)}.`;
}

/** Objects that stay and refer to deleted objects. */
export function danglingRemarks(input: RemarkInput): PlanRemark[] {
  const { played, going, goingOf, after, snapshot } = input;
  const gone = new Set(going.flatMap(({ ends, record }) => (ends.held ? [] : record.uid)));
  if (gone.size === 0) return [];
  const remarks: PlanRemark[] = [];
  const holding = played.plays.held.objects.filter(
    ({ uid: own, ownerReferences, deletionTimestamp }) =>
      deletionTimestamp === undefined &&
      // The remark on what is refused says why.
      !played.scope.proven.has(own) &&
      ownerReferences.some(({ uid }) => gone.has(uid)),
  );
  if (holding.length > 0) {
    const objects = identitiesOf(holding);
    const keep = objects.length === 1 ? 'keeps a reference' : 'keep references';
    const message = `${namesOf(objects)} ${keep} to what is deleted, and the garbage collector does not remove it: why says for what reason.`;
    remarks.push({ code: 'left-dangling', severity: 'warning', message, objects });
  }
  const namespaces = new Set(
    goingOf('namespaces').flatMap(({ record, ends }) => (ends.held ? [] : [record.name])),
  );
  if (namespaces.size === 0) return remarks;
  const released = snapshot.records.filter(
    ({ namespace, annotations, type, name }) =>
      namespace === '' &&
      namespaces.has(annotations?.['meta.helm.sh/release-namespace'] ?? '') &&
      after.at(groupResourceOf(type), '', name) !== undefined,
  );
  if (released.length > 0) {
    const objects = identitiesOf(released);
    const [belong, stay] = objects.length === 1 ? ['belongs', 'stays'] : ['belong', 'stay'];
    const message = `${namesOf(objects)} ${belong} to Helm releases of a namespace that is deleted, and ${stay}: helm uninstall the releases first, or delete what is left.`;
    remarks.push({ code: 'left-dangling', severity: 'note', message, objects });
  }
  return remarks;
}

/**
 * What leaves discovery with an APIService, and for how long. API servers register those of definitions again, and
 * those of built-in groups only when they start (checkAPIService, k8s.io/kube-aggregator
 * pkg/controllers/autoregister/autoregister_controller.go).
 */
export function unservedApis({ goingOf, snapshot, recreations }: RemarkInput): PlanRemark[] {
  return goingOf('apiservices.apiregistration.k8s.io').flatMap((object): PlanRemark[] => {
    const { record, identity } = object;
    const { name, labels } = record;
    const [version = '', ...rest] = name.split('.');
    const group = rest.join('.');
    const api = group === '' ? version : `${group}/${version}`;
    const how = labels?.[automanaged];
    if (how === 'true') {
      // It is deleted after its definitions, and their remarks name the kind that is no longer served.
      if (!recreations.has(object)) return [];
      const message = `APIService ${name} is deleted, and an API server registers it again: ${api} is not in discovery for a moment.`;
      return [{ code: 'unserved-api', severity: 'note', message, objects: [identity] }];
    }
    const isLost = (one: ObjectRecord) =>
      one.type.group === group &&
      snapshot.types.versions(groupResourceOf(one.type)).every((each) => each.version === version);
    const lost = identitiesOf(snapshot.records.filter(isLost));
    const until = how === undefined ? 'it is registered again' : 'an API server starts again';
    const stay =
      lost.length === 0
        ? 'No object that was read is of it alone.'
        : `${counted(lost.length, 'object')} that ${lost.length === 1 ? 'was' : 'were'} read of it (${countsByKind(lost)}) ${lost.length === 1 ? 'stays' : 'stay'}, but kubectl and other clients of discovery do not find them, and the garbage collector does not collect them meanwhile.`;
    const message = `APIService ${name} is deleted: ${api} is not in discovery any more until ${until}. ${stay}`;
    return [{ code: 'unserved-api', severity: 'warning', message, objects: [identity] }];
  });
}

/** What delivery tools do with what they applied, when an object of theirs goes. */
export function deliveredRemarks(input: RemarkInput): PlanRemark[] {
  return [...usages(input), ...deliveries(input)];
}

/** Objects whose deletion Crossplane refuses while they are used. */
function usages({ going }: RemarkInput): PlanRemark[] {
  const objects = identitiesOf(going.flatMap(({ record }) => (isInUse(record) ? [record] : [])));
  if (objects.length === 0) return [];
  const [is, it] = objects.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const message = `${namesOf(objects)} ${is} in use, as a Usage of Crossplane says, whose webhook refuses the deletion: delete what uses ${it} first, or the Usage.`;
  return [{ code: 'may-be-refused', severity: 'warning', message, objects }];
}

function deliveries({ going, played: { scope } }: RemarkInput): PlanRemark[] {
  const goes = new Set(going.map(({ record }) => record));
  return going.flatMap(({ record }): PlanRemark[] => {
    const inventory = inventoryOf(record);
    if (!inventory || inventory === 'unknown') return [];
    const who = `${nameOfTool(record)} ${verbOfTool(record)}`;
    const { finalizer, keepsAllBecause: leaves, cluster, entries } = inventory;
    const note = (message: string): PlanRemark => ({
      code: 'delivered',
      severity: 'note',
      message,
      objects: [referenceTo(record)],
    });
    const below = scope.deliveries.below(record);
    if (cluster !== undefined && below.length === 0) {
      const what = leaves === '' ? 'are deleted there' : `stay, as ${leaves}`;
      return entries.length === 0
        ? []
        : [
            note(
              `${counted(entries.length, 'object')} that ${who} to ${cluster} ${what}; they count nothing here.`,
            ),
          ];
    }
    const gone = identitiesOf(
      below.flatMap(({ record: one, stays }) => (stays === undefined ? [one] : [])),
    );
    // What the tool leaves may go for another reason, as with its namespace.
    const spared = below.filter(({ record: one, stays }) => stays !== undefined && !goes.has(one));
    const remarks: PlanRemark[] = [];
    const awaited = below.flatMap(({ record: one }) => inventory.waitsFor?.(one) ?? []);
    if (gone.length > 0 && awaited[0] !== undefined) {
      remarks.push(note(`${nameOfTool(record)} deletes nothing until it has ${awaited[0]}.`));
    }
    if (gone.length > 0) {
      const when =
        finalizer === undefined ? 'once it is deleted' : `before ${finalizer} is removed from it`;
      const doubt =
        cluster === undefined
          ? ''
          : ` It applies to ${cluster}; whether that is this one is not known.`;
      const [are, them] = gone.length === 1 ? ['It is', 'it'] : ['They are', 'them'];
      remarks.push({
        code: 'delivered',
        severity: 'warning',
        message: `${who} ${counted(gone.length, 'object')}: ${countsByKind(gone)}. ${are} deleted with ${them === 'it' ? 'its' : 'their'} dependents ${when}.${doubt}`,
        objects: gone,
      });
    }
    if (spared.length > 0) {
      const reasons = [...new Set(spared.map(({ stays }) => stays))].join(', ');
      const names = countsByKind(identitiesOf(spared.map((one) => one.record)));
      remarks.push(
        note(`${names} that ${who} ${spared.length === 1 ? 'stays' : 'stay'}: ${reasons}.`),
      );
    }
    return remarks;
  });
}
