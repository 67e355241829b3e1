import { type KnownFinalizer, setBy, workload } from './known-finalizer.ts';

/** Set by operators of applications: databases, queues, backups, autoscalers, batch systems. */
export const operatorFinalizers: readonly KnownFinalizer[] = [
  {
    name: 'finalizer.keda.sh',
    setBy: workload('KEDA operator', ['keda-operator'], {
      labels: ['keda-operator'],
      images: ['kedacore/keda'],
      leases: ['operator.keda.sh'],
    }),
    protects: 'the autoscaler and the scale of the workload that a ScaledObject changed',
    removedWhen: 'scaling is stopped and, if asked for, the old scale restored',
    source: 'https://github.com/kedacore/keda',
  },
  {
    name: 'monitoring.coreos.com/status-cleanup',
    setBy: workload('Prometheus operator', ['prometheus-operator', 'kube-prometheus-operator'], {
      labels: ['prometheus-operator'],
      images: ['prometheus-operator'],
    }),
    protects: 'statuses that it wrote on monitors and rules',
    removedWhen: 'its entries are taken out of those statuses',
    source: 'https://github.com/prometheus-operator/prometheus-operator',
  },
  ...setBy(
    workload('Velero', ['velero', 'node-agent'], { labels: ['velero'], images: ['velero/velero'] }),
    'https://github.com/vmware-tanzu/velero',
    {
      'restores.velero.io/external-resources-finalizer': {
        protects: "a restore's files in the backup storage",
        removedWhen: 'they were deleted from the backup storage',
      },
      'velero.io/data-upload-download-finalizer': {
        protects: 'a volume whose data is being moved',
        removedWhen: 'the data mover ended or was cancelled',
      },
    },
  ),
  {
    name: 'strimzi.io/topic-operator',
    setBy: workload('Strimzi topic operator', ['*-entity-operator', 'strimzi-topic-operator'], {
      labels: ['entity-operator'],
    }),
    protects: 'the topic in Kafka',
    removedWhen: 'the topic was deleted in Kafka',
    source: 'https://github.com/strimzi/strimzi-kafka-operator',
  },
  {
    name: 'deletion.finalizers.rabbitmqclusters.rabbitmq.com',
    setBy: workload('RabbitMQ cluster operator', ['rabbitmq-cluster-operator'], {
      labels: ['rabbitmq-cluster-operator'],
    }),
    protects: 'the pods of a RabbitmqCluster, which would wait for their peers',
    removedWhen: 'its StatefulSet is told that the cluster is being deleted',
    source: 'https://github.com/rabbitmq/cluster-operator',
  },
  {
    name: 'percona.com/*',
    setBy: workload('Percona operator of that database', [
      'percona-xtradb-cluster-operator',
      'percona-server-mongodb-operator',
      'percona-postgresql-operator',
      'percona-server-mysql-operator',
      'pxc-operator',
      'psmdb-operator',
      'pg-operator',
    ]),
    protects: 'the order in which pods stop, and volumes or certificates that are to be deleted',
    removedWhen: 'the step that the finalizer names is done',
    source: 'https://docs.percona.com/percona-operators/',
  },
  {
    name: 'cnpg.io/*',
    setBy: workload('CloudNativePG', ['cnpg-controller-manager', 'cloudnative-pg'], {
      labels: ['cloudnative-pg'],
      images: ['cloudnative-pg'],
    }),
    protects: 'the database, publication or subscription that the object stands for',
    removedWhen: 'it was dropped in PostgreSQL, as its reclaim policy says',
    source: 'https://cloudnative-pg.io/documentation/current/declarative_database_management/',
  },
  {
    name: 'postgres-operator.acid.zalan.do',
    setBy: workload('Zalando Postgres operator', ['postgres-operator'], {
      labels: ['postgres-operator'],
      images: ['zalando/postgres-operator'],
    }),
    protects: 'a Postgres cluster, its services and secrets',
    removedWhen: 'the operator has deleted them',
    source: 'https://github.com/zalando/postgres-operator',
  },
  {
    name: 'operator.grafana.com/finalizer',
    setBy: workload(
      'Grafana operator',
      ['grafana-operator', 'grafana-operator-controller-manager'],
      { labels: ['grafana-operator'], images: ['grafana-operator'] },
    ),
    protects: 'dashboards, folders and data sources in Grafana',
    removedWhen: 'they were deleted in Grafana',
    source: 'https://github.com/grafana/grafana-operator',
  },
  {
    name: 'kueue.x-k8s.io/*',
    setBy: workload('Kueue', ['kueue-controller-manager'], {
      labels: ['kueue'],
      images: ['kueue'],
    }),
    protects: 'a Workload, queue or flavor that is in use, and pods that Kueue counts',
    removedWhen: 'nothing uses it any more, or the pod is finished',
    source: 'https://github.com/kubernetes-sigs/kueue',
  },
  {
    name: 'ray.io/gcs-ft-redis-cleanup-finalizer',
    setBy: workload('KubeRay operator', ['kuberay-operator'], {
      labels: ['kuberay-operator'],
      images: ['kuberay/operator'],
    }),
    protects: "a RayCluster's data in Redis",
    removedWhen: 'a Job has deleted the data',
    source: 'https://github.com/ray-project/kuberay',
  },
  {
    name: 'kopf.zalando.org/KopfFinalizerMarker',
    setBy: workload('an operator that is written with Kopf', []),
    protects: 'what the deletion handler of that operator cleans up',
    removedWhen: 'all its deletion handlers have succeeded',
    source: 'https://kopf.readthedocs.io/en/stable/configuration/',
  },
];
