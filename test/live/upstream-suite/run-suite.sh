#!/usr/bin/env bash
# Runs functions of Kubernetes' own kubectl suite (test/cmd of its Go module) and prints what became of each:
# `RESULT <function> <exit code> <seconds>`. The working directory holds links to the module's folders;
# WANTED lists the functions, SERVER and TOKEN say where to log in, LOGS is a folder for their output.
set -o errexit -o nounset -o pipefail
exec 3>&1

source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh

# The suite's own records a report in JUnit's format for each function, and goes on.
record_command() {
  [[ " ${WANTED} " == *" $1 "* ]] || return 0
  local began=${SECONDS} status=0
  set +o errexit +o nounset
  (set -o errexit -o nounset; "$@") >"${LOGS}/$1.log" 2>&1 </dev/null
  status=$?
  set -o errexit -o nounset
  echo "RESULT $1 ${status} $((SECONDS - began))" >&3
}

# What its setup does besides building and starting servers.
kube::util::ensure-temp-dir
export HOME="${KUBE_TEMP}"
kube::util::ensure-gnu-sed
export CONTEXT=test SECURE_API_PORT="${SERVER##*:}" SUPPORTED_RESOURCES=("*")
{
  kubectl config set-credentials test-admin --token "${TOKEN}"
  kubectl config set-cluster local --insecure-skip-tls-verify --server "${SERVER}"
  kubectl config set-context "${CONTEXT}" --user test-admin --cluster local
  kubectl config use-context "${CONTEXT}"
  # A second run finds it.
  kubectl get node 127.0.0.1 || kubectl create -f - <<'NODE'
{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "127.0.0.1", "annotations": {"save-managers": "true"}},
 "status": {"capacity": {"memory": "1Gi"}}}
NODE
} >"${LOGS}/setup.log" 2>&1

runTests >"${LOGS}/between.log" 2>&1
