import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '@coffer/cli/settings/service-names'
import { runHere } from '@coffer/cli/testing/run-here'
import { nodeOptions, root } from '@coffer/local/bootstrap/paths.mjs'
import { expect, test } from '@jest/globals'
import { unknownSettings } from './setting-names.ts'

const folder = join(root, 'deploy/compose')
const files = readdirSync(folder)

const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** Returns the texts of the services of a Compose file, keyed by name. */
function servicesIn(text: string): Record<string, string> {
  const [, services = ''] = /^services:\n([\s\S]*?)(?=^\S)/m.exec(text) ?? []
  const blocks = services.split(/^ {2}(?=[a-z])/m).slice(1)
  return Object.fromEntries(blocks.map((block) => [block.slice(0, block.indexOf(':')), block]))
}

test.each(files)('every COFFER_ variable of %s is a setting', (name) => {
  expect(unknownSettings(read(name))).toEqual([])
})

test.each(['home.yaml', 'mesh.yaml'])('%s has no default for a secret', (name) => {
  const variables = [...read(name).matchAll(/\$\{(\w+)(.*?)\}/g)]
  const secret = variables.filter(([, variable = '']) => /PASSWORD|SECRET|KEY|TOKEN/.test(variable))
  expect(secret.length).toBeGreaterThan(1)
  // A secret of a feature that is off may be empty, which counts as not set.
  expect(secret.filter(([, , rest = '']) => !rest.startsWith(':?') && rest !== ':-')).toEqual([])
  // A value that holds a password is made of variables alone.
  expect(read(name)).not.toMatch(/^ *\w*(PASSWORD|SECRET|TOKEN)\w*: *[^\s$]/m)
})

test('.env.example has no secret, and every variable that a file requires', () => {
  const example = read('.env.example')
  const required = ['home.yaml', 'mesh.yaml'].flatMap((name) =>
    [...read(name).matchAll(/\$\{(\w+):\?/g)].map(([, variable = '']) => variable),
  )
  const missing = required.filter((variable) => !new RegExp(`^${variable}=$`, 'm').test(example))
  expect(missing).toEqual([])
})

test('the mesh runs every service and the gateway', () => {
  const services = servicesIn(read('mesh.yaml'))
  for (const name of [...serviceNames, 'gateway']) {
    expect(services[name]).toContain(`command: ["serve", "${name}"]`)
  }
})

test('in the mesh each container has the keys of its part alone', () => {
  const services = servicesIn(read('mesh.yaml'))
  const { keys, tools, ...others } = services
  const mounts = (text = '') =>
    [...text.matchAll(/\b(keys[\w-]*):(\/[^\s"\]]*)/g)].map(([all]) => all)
  const parts = [...serviceNames, 'gateway']
  for (const name of parts) expect(mounts(others[name])).toEqual([`keys-${name}:/data/keys:ro`])
  for (const [name, text] of Object.entries(others)) {
    if (!parts.includes(name)) expect([name, mounts(text)]).toEqual([name, []])
  }
  expect(keys).toContain('command: ["keys:create", "--parts", "/keys"]')
  const own = parts.map((name) => `keys-${name}:/keys/${name}`)
  expect(mounts(keys).sort()).toEqual(['keys:/data', ...own].sort())
  // Only a run by hand has the whole set.
  expect(mounts(tools)).toEqual(['keys:/data'])
  expect(tools).toContain('profiles: ["tools"]')
  // No anchor mounts keys everywhere, and volumes belong to the user of the image.
  const [head = ''] = read('mesh.yaml').split('\nservices:')
  expect(head).not.toContain('volumes:')
  const dockerfile = readFileSync(join(root, 'deploy/image/Dockerfile'), 'utf8')
  for (const name of parts) expect(dockerfile).toContain(`/keys/${name} `)
  expect(dockerfile).toContain('COPY --from=app --chown=node:node /keys /keys\n')
})

test('in the mesh no container has a password or a user of another part', () => {
  const text = read('mesh.yaml')
  const { migrate, tools, nats, ...services } = servicesIn(text)
  const parts = [...serviceNames, 'gateway']
  for (const name of parts) {
    const own = name.replaceAll('-', '_').toUpperCase()
    const passwords = [...(services[name] ?? '').matchAll(/\$\{(\w*PASSWORD\w*):\?/g)].map(
      ([, variable]) => variable,
    )
    const database = name === 'gateway' ? [] : [`DATABASE_PASSWORD_${own}`]
    expect([name, passwords]).toEqual([name, [...database, `NATS_PASSWORD_${own}`]])
    expect(services[name]).toContain(`nats://coffer-${name}:\${NATS`)
    if (name === 'gateway') expect(services[name]).not.toContain('DATABASE_URL')
    else expect(services[name]).toContain(`COFFER_${own}_DATABASE_URL: >-\n`)
  }
  // Only the roles' owner and commands by hand have the owner of the tables.
  const owned = Object.entries(services).filter(([, one]) => one.includes('${POSTGRES_PASSWORD'))
  expect(owned.map(([name]) => name)).toEqual([])
  expect(migrate).toContain('command: ["migrate", "--roles"]')
  for (const one of [migrate, tools]) expect(one).toContain('postgres://coffer:${POSTGRES_PASSWORD')
  expect(nats).toContain('./nats-mesh.conf:/etc/nats/coffer.conf:ro')
  // No anchor of all containers has a secret, and no container has all of `.env`.
  const [common = ''] = text.split('\nx-storage:')
  expect(common).not.toMatch(/PASSWORD|SECRET|_KEY|TOKEN/)
  expect(text.match(/env_file: .*/g)).toEqual(['env_file: settings.env'])
  expect(read('settings.env.example')).not.toMatch(/(PASSWORD|SECRET|KEY|TOKEN)=/)
})

test('the users of NATS in the mesh are those that the command prints', async () => {
  const { stdout } = await runHere(['nats:permissions'])
  expect(read('nats-mesh.conf')).toContain(`prints it.\n${stdout}`)
})

test('every server has a limit of memory, restarts, and a health check', () => {
  const { coffer, ...servers } = servicesIn(read('home.yaml'))
  for (const text of Object.values(servers)) expect(text).toMatch(/mem_limit: \d+m/)
  expect(coffer).toMatch(/mem_limit: \d+m/)
  // The image has the health check of Coffer.
  const { proxy, ...checked } = servers
  for (const text of Object.values(checked)) expect(text).toContain('healthcheck:')
  for (const text of [coffer, proxy]) expect(text).toContain('restart: unless-stopped')
})

test('the image starts Node with the options of npm start', () => {
  const script = readFileSync(join(root, 'deploy/image/coffer'), 'utf8').replaceAll('\\\n', '')
  expect(script.split(/\s+/).filter((word) => word.startsWith('--'))).toEqual(nodeOptions)
  expect(readFileSync(join(root, 'deploy/image/Dockerfile'), 'utf8')).toContain(
    'MALLOC_ARENA_MAX=2',
  )
})
