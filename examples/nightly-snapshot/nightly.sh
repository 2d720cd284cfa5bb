#!/bin/sh
# Takes a snapshot of INSTANCE and a backup of DATABASE, and deletes all but the newest KEEP backups that this script made.
set -eu

now=$(date -u +%Y%m%d-%H%M%S)
# An hour from now, in seconds since the epoch: `date` of busybox and of GNU take it both.
until=$(date -u -d "@$(($(date -u +%s) + 3600))" +%Y-%m-%dT%H:%M:%SZ)

kubectl create -f - <<END
apiVersion: cloudplatform.dev/v1alpha1
kind: ComputeSnapshot
metadata:
  name: $INSTANCE-$now
  labels: {made-by: nightly-snapshot}
spec:
  instanceRef: {name: $INSTANCE}
  replacePrevious: true
  notAfter: $until
  ttlSecondsAfterFinished: 604800
END

kubectl create -f - <<END
apiVersion: cloudplatform.dev/v1alpha1
kind: DatabaseBackup
metadata:
  name: $DATABASE-$now
  labels: {made-by: nightly-snapshot, database: $DATABASE}
spec:
  databaseRef: {name: $DATABASE}
END

kubectl wait --for=condition=Ready --timeout="${TIMEOUT:-30m}" "databasebackup/$DATABASE-$now"

# Oldest first; what is not ready is no backup yet.
ready='{range .items[*]}{.metadata.name}{" "}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}'
kubectl get databasebackups -l "made-by=nightly-snapshot,database=$DATABASE" \
  --sort-by=.metadata.creationTimestamp -o jsonpath="$ready" |
  awk '$2 == "True" { print $1 }' | head -n "-$KEEP" |
  while read -r old; do kubectl delete databasebackup "$old" --wait=false; done
