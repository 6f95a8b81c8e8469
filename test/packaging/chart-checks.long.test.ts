import { beforeAll, expect, test } from '@jest/globals'
import { attempt, binary, chart, requireTools, valuesOf } from './chart.ts'
import { helm } from './tools/tool-list.ts'

beforeAll(() => requireTools([helm]))

/** Values that admit connections to all servers apart from the object store. */
const restricted = [
  'networkPolicy.restrictEgress=true',
  'networkPolicy.egress.database[0].ports[0].port=5432',
  'networkPolicy.egress.nats[0].ports[0].port=4222',
  'networkPolicy.egress.temporal[0].ports[0].port=7233',
]

test.each([
  ['an unknown value', ['replicas=3'], "additional properties 'replicas' not allowed"],
  ['an unknown part', ['parts.mailer.replicas=3'], 'mailer'],
  ['a wrong mode', ['mode=both'], 'mode'],
  [
    'uploads without an object store',
    ['settings.COFFER_UPLOADS_ENABLED=true'],
    'storage.bucket: uploads need an object store',
  ],
  [
    'a setting that has a value of its own',
    ['parts.ledger.settings.COFFER_RPC_PORT=1'],
    'COFFER_RPC_PORT has a value of its own',
  ],
  ['no database', ['database.urls.secretName='], 'database.urls.secretName: is needed'],
  [
    'the owner beside the roles',
    ['database.url.secretName=coffer-database'],
    'database.url.secretName: not beside database.urls',
  ],
  ['no NATS', ['nats.url='], 'nats.url: is needed'],
  ['no Temporal', ['temporal.address='], 'temporal.address: is needed'],
  [
    'more replicas at least than at most',
    ['parts.ledger.autoscaling.minReplicas=7'],
    'parts.ledger.autoscaling: minReplicas is 7, above maxReplicas, 6',
  ],
  [
    'such replicas of all parts',
    ['defaults.autoscaling.maxReplicas=1'],
    'autoscaling: minReplicas is 2, above maxReplicas, 1',
  ],
  ['an Ingress for any host', ['ingress.enabled=true'], 'ingress.hosts: is needed'],
  ['a route for any host', ['gatewayApi.enabled=true'], 'gatewayApi.hostnames: is needed'],
  [
    'a route without a Gateway',
    ['gatewayApi.enabled=true', 'gatewayApi.hostnames={example.com}'],
    'gatewayApi.parentRefs: is needed',
  ],
  [
    'values of a part that does not exist',
    ['mode=single', 'parts.ledger.replicas=3'],
    'parts.ledger: has no effect in mode single, use parts.all',
  ],
  [
    'a setting twice',
    [
      'parts.ledger.settings.COFFER_SMTP_URL=x',
      'secretSettings.COFFER_SMTP_URL.secretName=x',
      'secretSettings.COFFER_SMTP_URL.key=x',
    ],
    'parts.ledger: COFFER_SMTP_URL is set by two values',
  ],
  [
    'a setting of the chart as a variable',
    ['defaults.extraEnv[0].name=COFFER_PORT', 'defaults.extraEnv[0].value=one'],
    'COFFER_PORT is set by two values',
  ],
  [
    'a setting of the chart in a Secret',
    ['secretSettings.COFFER_HOST.secretName=x', 'secretSettings.COFFER_HOST.key=x'],
    'COFFER_HOST has a value of its own',
  ],
  [
    'a setting of the chart in the values of all parts',
    ['defaults.settings.COFFER_HOST=x'],
    'COFFER_HOST has a value of its own',
  ],
  [
    'uploads of one part without an object store',
    ['parts.ledger.settings.COFFER_UPLOADS_ENABLED=true'],
    'storage.bucket: uploads need an object store',
  ],
  ['no key of secrets', ['keys.encryption=null'], 'keys.encryption: is needed'],
  [
    'a created key beside KMS',
    ['keys.create=true', 'settings.COFFER_KEY_SERVICE=vault'],
    'keys.encryption: must be []',
  ],
  [
    'a pooler with one role for all',
    [
      'database.pooler=transaction',
      'database.urls.secretName=',
      'database.url.secretName=coffer-database',
    ],
    'needs a role for the pooler',
  ],
  [
    'two addresses of NATS',
    ['nats.urlSecret.secretName=x'],
    'nats: only one of url, urlSecret and urls',
  ],
  [
    'two certificates of Postgres',
    ['database.ca.secretName=x', 'database.ca.configMapName=x'],
    'database.ca: only one source',
  ],
  [
    'two certificates of Temporal',
    ['temporal.ca.secretName=x', 'temporal.ca.system=true'],
    'temporal.ca: only one source',
  ],
  [
    'no connection to Postgres',
    ['networkPolicy.restrictEgress=true'],
    'networkPolicy.egress.database: is needed with restrictEgress',
  ],
  [
    'no connection to the bucket of uploads',
    [...restricted, 'storage.bucket=coffer-files'],
    'networkPolicy.egress.storage: is needed with restrictEgress',
  ],
  [
    'no connection to the bucket of backups',
    [
      ...restricted,
      'backup.enabled=true',
      'backup.to=s3://bucket/folder/',
      'backup.recipients={age1a}',
    ],
    'networkPolicy.egress.storage: is needed with restrictEgress',
  ],
])('%s is refused', async (_, values, reason) => {
  const sets = values.flatMap((value) => ['--set', value])
  const args = ['template', 'coffer', chart, ...valuesOf('minimal'), ...sets]
  const { code, stderr } = await attempt(binary(helm), args)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) })
})

test.each([
  ['minimal', [], [72, 108], true],
  ['minimal', ['database.poolSize=3'], [60, 90], false],
  ['minimal', ['database.maxConnections=117'], [72, 108], true],
  ['minimal', ['database.maxConnections=118'], [72, 108], false],
  [
    'minimal',
    ['parts.ledger.replicas=4', 'parts.ledger.settings.COFFER_DATABASE_POOL_SIZE=8'],
    [100, 140],
    true,
  ],
  ['single', [], [72, 108], true],
  ['observed', [], [192, 228], true],
  ['secured', ['database.poolSize=10'], [144, 216], false],
])('notes of %s with %j add up connections', async (set, values, [running, replaced], isWarned) => {
  const sets = values.map((value) => `--set=${value}`)
  const args = ['install', 'coffer', chart, '--dry-run=client', ...valuesOf(set), ...sets]
  const { stdout } = await attempt(binary(helm), args)
  expect(stdout).toContain(`full pools: ${running}, and while pods are replaced\n${replaced}.`)
  expect(stdout.includes('above database.maxConnections')).toBe(isWarned)
})
