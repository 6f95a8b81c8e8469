import { beforeAll, expect, test } from '@jest/globals'
import {
  attempt,
  binary,
  chart,
  type Manifest,
  renderObjects,
  requireTools,
  valuesOf,
} from './chart.ts'
import { helm } from './tools/tool-list.ts'

beforeAll(() => requireTools([helm]))

const enabled = [
  '--set=backup.enabled=true',
  '--set=backup.to=s3://budget-backups/nightly/',
  '--set=backup.recipients={age1a,age1b}',
  '--set=audit.enabled=true',
  '--set=operator.enabled=true',
]

interface Container {
  args: string[]
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: object } }[]
}

/** Returns a CronJob's specification and pod, and the words and variables of its container. */
function commandOf(objects: Manifest[], name: string) {
  const { spec } = objects.find(({ kind, metadata }) => {
    return kind === 'CronJob' && metadata.name === `coffer-${name}`
  }) as Manifest
  const pod = spec.jobTemplate.spec.template.spec
  const [container] = pod.containers as [Container]
  const variables = Object.fromEntries(
    container.env.map(({ name: variable, value, valueFrom }) => [
      variable,
      value ?? valueFrom?.secretKeyRef,
    ]),
  )
  return { spec, pod, args: container.args, variables }
}

test('no CronJob without its value', async () => {
  const objects = await renderObjects(valuesOf('minimal'))
  expect(objects.filter(({ kind }) => kind === 'CronJob')).toEqual([])
})

test('the backup reads as its role and writes with its own keys, one run at a time', async () => {
  const objects = await renderObjects(valuesOf('everything'))
  const { spec, pod, args, variables } = commandOf(objects, 'backup')
  expect(spec).toMatchObject({
    schedule: '30 1 * * *',
    timeZone: 'Europe/Berlin',
    concurrencyPolicy: 'Forbid',
    suspend: true,
    successfulJobsHistoryLimit: 2,
    jobTemplate: { spec: { activeDeadlineSeconds: 7200, backoffLimit: 1 } },
  })
  expect(args).toEqual([
    'backup',
    '--to=s3://budget-backups/nightly/',
    expect.stringMatching(/^--recipient=age1q+$/),
    '--with-keys',
  ])
  expect(pod.serviceAccountName).toBe('coffer-writer')
  expect(variables).toMatchObject({
    COFFER_DATABASE_URL: { name: 'coffer-reader', key: 'reader' },
    COFFER_DATABASE_CA: '/etc/coffer/servers/database-ca.crt',
    COFFER_STORAGE_BUCKET: 'coffer-files',
    AWS_ACCESS_KEY_ID: { name: 'coffer-backup-store', key: 'id' },
  })
  // The roles of services and the servers of events are not in the pod.
  expect(Object.keys(variables).filter((one) => /NATS|TEMPORAL|LEDGER_DATABASE/.test(one))).toEqual(
    [],
  )
})

test('helm test checks the place of the backup, with the pod of the backup', async () => {
  const objects = await renderObjects(valuesOf('everything'))
  const { pod, args } = commandOf(objects, 'backup')
  const found = objects.filter(({ kind, metadata }) => {
    return kind === 'Pod' && metadata.name === 'coffer-test-backup'
  })
  expect(found).toHaveLength(1)
  const [{ metadata, spec }] = found as [Manifest]
  expect(metadata.annotations?.['helm.sh/hook']).toBe('test')
  const [container] = spec.containers
  expect(container.args).toEqual([...args, '--check'])
  const same = { ...container, args }
  expect({ ...spec, containers: [same] }).toEqual(pod)
  const policy = objects.find(({ metadata: { name } }) => name === 'coffer-backup-job')
  expect(metadata.labels).toMatchObject(policy?.spec.podSelector.matchLabels)
  const without = await renderObjects(valuesOf('minimal'))
  expect(without.filter(({ kind }) => kind === 'Pod')).toHaveLength(1)
})

test('without a role of its own a command reads as the owner of the tables', async () => {
  const objects = await renderObjects([...valuesOf('mesh'), ...enabled])
  for (const name of ['backup', 'audit', 'operator']) {
    const { variables } = commandOf(objects, name)
    expect(variables.COFFER_DIRECT_DATABASE_URL ?? variables.COFFER_DATABASE_URL).toBeDefined()
  }
  const { args, pod } = commandOf(objects, 'backup')
  expect(args).toEqual([
    'backup',
    '--to=s3://budget-backups/nightly/',
    '--recipient=age1a',
    '--recipient=age1b',
  ])
  expect(pod.serviceAccountName).toBe('coffer-backup')
  expect(JSON.stringify(pod.volumes)).not.toContain('keys')
})

test('the template of operators never runs, and has the user operator of NATS', async () => {
  const objects = await renderObjects(valuesOf('everything'))
  const { spec, pod, variables } = commandOf(objects, 'operator')
  expect(spec).toMatchObject({
    schedule: '0 0 31 2 *',
    suspend: true,
    jobTemplate: { spec: { backoffLimit: 0, activeDeadlineSeconds: 7200 } },
  })
  expect(variables).toMatchObject({
    COFFER_DATABASE_URL: { name: 'coffer-owner', key: 'owner' },
    COFFER_NATS_URL: { name: 'coffer-nats', key: 'operator' },
  })
  expect(JSON.stringify(pod.volumes)).toContain('"secretName":"coffer-keys"')
})

test('the operator has keys of its own for both buckets, else those of files', async () => {
  const own = commandOf(await renderObjects(valuesOf('everything')), 'operator').variables
  expect(own.AWS_ACCESS_KEY_ID).toEqual({ name: 'coffer-operator-store', key: 'id' })
  expect(own.COFFER_STORAGE_BUCKET).toBe('coffer-files')
  const { variables } = commandOf(
    await renderObjects([...valuesOf('mesh'), ...enabled]),
    'operator',
  )
  expect(variables.AWS_SECRET_ACCESS_KEY).toEqual({
    name: 'coffer-storage',
    key: 'AWS_SECRET_ACCESS_KEY',
  })
})

test.each([
  ['identity', 'mesh', 'parts.identity'],
  ['the only part', 'single', 'parts.all'],
  ['all parts', 'mesh', 'defaults'],
  ['the installation', 'mesh', ''],
])('the operator has the settings and the key service of %s', async (_, mode, place) => {
  const at = place === '' ? '' : `${place}.`
  const objects = await renderObjects([
    ...valuesOf(mode),
    ...enabled,
    `--set=${at}settings.COFFER_KEY_SERVICE=vault`,
    `--set=${at}settings.COFFER_BILLING_ENABLED=true`,
    `--set=${at}secretSettings.COFFER_VAULT_TOKEN.secretName=vault`,
    `--set=${at}secretSettings.COFFER_VAULT_TOKEN.key=token`,
    `--set=${at}secretSettings.COFFER_SMTP_URL.secretName=mail`,
    `--set=${at}secretSettings.COFFER_SMTP_URL.key=url`,
    '--set=keys.create=false',
  ])
  const { variables } = commandOf(objects, 'operator')
  expect(variables).toMatchObject({
    COFFER_KEY_SERVICE: 'vault',
    COFFER_BILLING_ENABLED: 'true',
    COFFER_VAULT_TOKEN: { name: 'vault', key: 'token' },
  })
  expect(variables).not.toHaveProperty('COFFER_SMTP_URL')
  expect(commandOf(objects, 'audit').variables).not.toHaveProperty('COFFER_VAULT_TOKEN')
})

test.each([
  ['replicas of a part', ['--set=parts.gateway.replicas=3']],
  ['autoscaling', valuesOf('observed')],
  ['one process', ['--set=mode=single', '--set=parts.all.autoscaling.enabled=true']],
])('a stopped installation with %s runs nothing', async (_, options) => {
  const objects = await renderObjects([
    ...valuesOf('minimal'),
    ...options,
    ...enabled,
    '--set=stopped=true',
  ])
  const of = (kind: string) => objects.filter((one) => one.kind === kind)
  expect(new Set(of('Deployment').map(({ spec }) => spec.replicas))).toEqual(new Set([0]))
  expect(of('CronJob').map(({ spec }) => spec.suspend)).toEqual([true, true, true])
  expect(of('HorizontalPodAutoscaler')).toEqual([])
})

const noFolder = 'backup.to: must be a folder of a bucket'

test.each([
  ['no place', ['--set=backup.enabled=true', '--set=backup.recipients={age1a}'], noFolder],
  [
    'no recipient',
    ['--set=backup.enabled=true', '--set=backup.to=s3://bucket/folder/'],
    'backup.recipients: needs',
  ],
  ['a file', [...enabled, '--set=backup.to=/data/coffer.age'], noFolder],
  ['a bucket without a folder', [...enabled, '--set=backup.to=s3://bucket/'], noFolder],
])('a backup with %s is refused', async (_, values, reason) => {
  const args = ['template', 'coffer', chart, ...valuesOf('minimal'), ...values]
  const { code, stderr } = await attempt(binary(helm), args)
  expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
})
