import { accountOperations } from "./collections/account/account.ts";
import { eventOperations } from "./collections/account/events.ts";
import { betaOperations } from "./collections/betas/betas.ts";
import { enrollmentOperations } from "./collections/betas/enrollments.ts";
import { regionOperations } from "./collections/catalog/regions.ts";
import { accessOperations } from "./collections/compute/access.ts";
import { attachmentOperations } from "./collections/compute/attachments.ts";
import { backupOperations } from "./collections/compute/backups.ts";
import { computeTypeOperations, kernelOperations } from "./collections/compute/catalogs.ts";
import { cloneOperations } from "./collections/compute/clone.ts";
import { configOperations } from "./collections/compute/configs.ts";
import { diskOperations } from "./collections/compute/disks.ts";
import { instanceOperations } from "./collections/compute/instances.ts";
import { moveOperations } from "./collections/compute/moves.ts";
import { powerOperations } from "./collections/compute/power.ts";
import { rebuildOperations } from "./collections/compute/rebuild.ts";
import { usageOperations } from "./collections/compute/usage.ts";
import { databaseAccessOperations } from "./collections/databases/access.ts";
import { databaseBackupOperations } from "./collections/databases/backups.ts";
import { engineOperations } from "./collections/databases/engines.ts";
import { databaseOperations } from "./collections/databases/mysql.ts";
import { domainCopyOperations } from "./collections/domains/copies.ts";
import { domainOperations } from "./collections/domains/domains.ts";
import { recordOperations } from "./collections/domains/records.ts";
import { zoneFileOperations } from "./collections/domains/zone-file.ts";
import { imageReadOperations } from "./collections/images/images.ts";
import { privateImageOperations } from "./collections/images/private-images.ts";
import { firewallDeviceOperations } from "./collections/networking/firewall-devices.ts";
import { firewallRuleOperations } from "./collections/networking/firewall-rules.ts";
import { firewallOperations } from "./collections/networking/firewalls.ts";
import { instanceFirewallOperations } from "./collections/networking/instance-firewalls.ts";
import { instanceIpOperations } from "./collections/networking/instance-ips.ts";
import { ipAssignmentOperations } from "./collections/networking/ip-assignments.ts";
import { ipSharingOperations } from "./collections/networking/ip-sharing.ts";
import { ipOperations } from "./collections/networking/ips.ts";
import { ipv6PoolOperations } from "./collections/networking/ipv6-pools.ts";
import { ipv6RangeOperations } from "./collections/networking/ipv6-ranges.ts";
import { vlanOperations } from "./collections/networking/vlans.ts";
import { bucketAccessOperations } from "./collections/objectstorage/access.ts";
import { storageAccountOperations } from "./collections/objectstorage/account.ts";
import { bucketOperations } from "./collections/objectstorage/buckets.ts";
import { certificateOperations } from "./collections/objectstorage/certificates.ts";
import { clusterOperations } from "./collections/objectstorage/clusters.ts";
import { storageKeyOperations } from "./collections/objectstorage/keys.ts";
import { objectOperations } from "./collections/objectstorage/objects.ts";
import { appOperations } from "./collections/profile/apps.ts";
import { deviceOperations } from "./collections/profile/devices.ts";
import { grantOperations } from "./collections/profile/grants.ts";
import { loginOperations } from "./collections/profile/logins.ts";
import { phoneNumberOperations } from "./collections/profile/phone-number.ts";
import { preferenceOperations } from "./collections/profile/preferences.ts";
import { profileOperations } from "./collections/profile/profile.ts";
import { securityQuestionOperations } from "./collections/profile/security-questions.ts";
import { sshKeyOperations } from "./collections/profile/ssh-keys.ts";
import { tagOperations } from "./collections/tags/tags.ts";
import { BACKUP_JOBS } from "./compute/backup-schedule.ts";
import { BACKUP_ACTIONS } from "./compute/backups.ts";
import { DISK_JOBS } from "./compute/disks.ts";
import { jobKindOf } from "./compute/instance-actions.ts";
import { LIFECYCLE_ACTIONS } from "./compute/lifecycle.ts";
import { MOVE_ACTIONS } from "./compute/moves.ts";
import { COPY_ACTIONS } from "./compute/restoration.ts";
import { DATABASE_JOBS } from "./databases/lifecycle.ts";
import { IMAGE_JOBS } from "./images/lifecycle.ts";
import type { Operation } from "./operation.ts";
import type { JobKind } from "./world.ts";

/** Every operation of the API, one line a collection. */
export const OPERATIONS: readonly Operation[] = [
  ...accessOperations,
  ...accountOperations,
  ...appOperations,
  ...attachmentOperations,
  ...backupOperations,
  ...betaOperations,
  ...bucketAccessOperations,
  ...bucketOperations,
  ...certificateOperations,
  ...cloneOperations,
  ...clusterOperations,
  ...computeTypeOperations,
  ...configOperations,
  ...databaseAccessOperations,
  ...databaseBackupOperations,
  ...databaseOperations,
  ...deviceOperations,
  ...diskOperations,
  ...domainCopyOperations,
  ...domainOperations,
  ...engineOperations,
  ...enrollmentOperations,
  ...eventOperations,
  ...firewallDeviceOperations,
  ...firewallOperations,
  ...firewallRuleOperations,
  ...grantOperations,
  ...imageReadOperations,
  ...instanceFirewallOperations,
  ...instanceIpOperations,
  ...instanceOperations,
  ...ipAssignmentOperations,
  ...ipOperations,
  ...ipSharingOperations,
  ...ipv6PoolOperations,
  ...ipv6RangeOperations,
  ...kernelOperations,
  ...loginOperations,
  ...moveOperations,
  ...objectOperations,
  ...phoneNumberOperations,
  ...powerOperations,
  ...preferenceOperations,
  ...privateImageOperations,
  ...profileOperations,
  ...rebuildOperations,
  ...recordOperations,
  ...regionOperations,
  ...securityQuestionOperations,
  ...sshKeyOperations,
  ...storageAccountOperations,
  ...storageKeyOperations,
  ...tagOperations,
  ...usageOperations,
  ...vlanOperations,
  ...zoneFileOperations,
];

/** Every kind of job that may be found in the store. */
export const JOB_KINDS: readonly JobKind[] = [
  ...[...BACKUP_ACTIONS, ...COPY_ACTIONS, ...LIFECYCLE_ACTIONS, ...MOVE_ACTIONS].map(jobKindOf),
  ...BACKUP_JOBS,
  ...DISK_JOBS,
  ...IMAGE_JOBS,
  ...DATABASE_JOBS,
];
