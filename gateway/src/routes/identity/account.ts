import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { refused } from '@coffer/kit/rpc/errors'
import { toRest } from '@coffer/kit/rpc/message'
import { AccountDataService } from '@coffer/proto/data/v1/account_data'
import { AccountService } from '@coffer/proto/identity/v1/account'
import { GetMeResponseSchema, UserService } from '@coffer/proto/identity/v1/user'
import { identityProof, proofMessage } from '../../auth/proof.ts'
import { exportText } from '../../compose/account-export.ts'
import { type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'

/** Exports this process sends at a time; each holds a page of rows and a connection. */
const exportsMax = 4

// Who takes nothing for so long gives the place to somebody else (spec/identity.md 1.4).
const stalledMs = 45_000

/** A copy of all an account has here, and its end (ours; spec/decisions.md, Account settings). */
export function accountRoutes(deps: RouteDeps): Route[] {
  return [exportRoute(deps), deletionRoute(deps)]
}

function exportRoute({ mesh, clock, exportStalledMs = stalledMs }: RouteDeps): Route {
  const users = mesh.client('identity', UserService)
  let running = 0
  return route({
    method: 'GET',
    path: '/api/users/me/export',
    summary: 'Everything that is kept of the account, as one JSON document',
    auth: 'session',
    answer: { json: { type: 'object' } },
    handler: async ({ options, renewOptions, request, reply }) => {
      const me = toRest(GetMeResponseSchema, await users.getMe({}, options))
      if (running >= exportsMax) {
        throw refused('too many exports are running', { status: 429, retryAfterSeconds: 30 })
      }
      const head = { format: 1, exportedAt: clock().toISOString(), me }
      const text = exportText(head, async (request) =>
        mesh
          .client(request.service, AccountDataService)
          .readAccountData(request, await renewOptions()),
      )
      running += 1
      const watch = watchSocket(request.raw.socket, exportStalledMs)
      reply.header('content-disposition', 'attachment; filename="coffer-export.json"')
      return Readable.from(text, { objectMode: false }).once('close', () => {
        watch.end()
        running -= 1
      })
    },
  })
}

/** Closes a connection over which nothing goes for so long. */
function watchSocket(socket: Socket, idleMs: number): { end: () => void } {
  const close = () => socket.destroy()
  socket.setTimeout(idleMs, close)
  return { end: () => socket.setTimeout(0).off('timeout', close) }
}

function deletionRoute({ mesh, sessions, cookie, attempts }: RouteDeps): Route {
  const accounts = mesh.client('identity', AccountService)
  return route({
    method: 'DELETE',
    path: '/api/users/me',
    summary: 'Delete the account with all it has, by the current password or a code; for ever',
    auth: 'session',
    body: identityProof,
    handler: async ({ body, options, request, reply }) => {
      const remove = () => accounts.deleteAccount(proofMessage(body), options)
      await attempts.run(request.ip, remove)
      // Which credentials were the account's is not known here: all are verified again.
      sessions.forget(() => true)
      cookie.clear(reply)
    },
  })
}
