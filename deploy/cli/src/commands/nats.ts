import { natsPermissions, type Permissions } from '@coffer/host/events/permissions'
import type { Environment } from '@coffer/host/settings'
import { readConfig } from '../settings/environment.ts'
import { serviceNames } from '../settings/service-names.ts'

/**
 * `coffer nats:permissions`: prints the block `authorization` of a server's configuration with a
 * user for each part, named `<prefix>-<part>`, whose passwords are variables of the environment; or
 * with `nsc` the commands that create these users in an account (docs/running/secured-servers.md).
 */
export function printPermissions(options: { nsc?: boolean }, env: Environment): undefined {
  const { prefix } = readConfig(env)
  const users = Object.entries(natsPermissions(prefix, serviceNames))
  console.log(options.nsc ? nscText(prefix, users) : configText(prefix, users))
}

type Users = [part: string, permissions: Permissions][]

function configText(prefix: string, users: Users): string {
  const blocks = users.map(
    ([part, { publish, subscribe }]) => `    {
      user: ${quoted(`${prefix}-${part}`)}
      password: $NATS_PASSWORD_${part.replaceAll('-', '_').toUpperCase()}
      permissions {
        publish: ${listText(publish)}
        subscribe: ${listText(subscribe)}
      }
    }`,
  )
  return `authorization {\n  users: [\n${blocks.join('\n')}\n  ]\n}`
}

function listText(subjects: readonly string[]): string {
  const [first, ...rest] = subjects.map(quoted)
  if (rest.length === 0) return `${first}`
  return `[\n${[first, ...rest].map((subject) => `          ${subject}`).join('\n')}\n        ]`
}

function nscText(prefix: string, users: Users): string {
  const commands = users.map(([part, { publish, subscribe }]) => {
    return [
      `nsc add user --name ${prefix}-${part} \\`,
      `  --allow-pub '${publish.join(',')}' \\`,
      `  --allow-sub '${subscribe.join(',')}'`,
    ].join('\n')
  })
  return commands.join('\n')
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
