import { AccountDataService } from '@coffer/proto/data/v1/account_data'
import { AccountService } from '@coffer/proto/identity/v1/account'
import { GetMeResponseSchema, UserSchema } from '@coffer/proto/identity/v1/user'
import { z } from 'zod'
import {
  reAuthentication,
  reAuthenticationByBoth,
  reAuthenticationMessage,
} from '../../auth/re-authentication.ts'
import { exportText } from '../../compose/account-export.ts'
import { createMe } from '../../compose/me.ts'
import type { RouteDeps } from '../../deps.ts'
import { renderAnswer } from '../../http/answers/answer.ts'
import { text } from '../../http/fields/fields.ts'
import { createFileStreams } from '../../http/file-stream.ts'
import { type Route, route } from '../../http/route.ts'
import { codesLocked } from './sign-in-answers.ts'

/** Maximum number of concurrent exports per process: each keeps a page of rows and a connection. */
const exportsMax = 4

/** Returns the routes of an account's export and deletion (docs/account-data.md). */
export function accountRoutes(deps: RouteDeps): Route[] {
  return [exportRoute(deps), timezoneRoute(deps), deletionRoute(deps)]
}

function exportRoute({ mesh, clock, exportIdleTimeoutMs }: RouteDeps): Route {
  const readMe = createMe({ mesh })
  const streams = createFileStreams({ max: exportsMax, idleTimeoutMs: exportIdleTimeoutMs })
  return route({
    id: 'exportAccount',
    tag: 'Account',
    method: 'GET',
    path: '/api/users/me/export',
    summary: 'Export all data of the account as one JSON document',
    description:
      'Streams all rows of the account from all services; at most 4 exports run at the same ' +
      'time in a process, else 429 (docs/account-data.md#export).',
    since: '0.1.0',
    auth: 'session',
    isStreamed: true,
    headers: ['Content-Disposition'],
    answer: { json: { type: 'object' } },
    handler: async ({ options, renewOptions, request, reply }) => {
      const me = renderAnswer(GetMeResponseSchema, await readMe({ options, request }))
      const head = { format: 1, exportedAt: clock().toISOString(), me }
      const text = exportText(head, async (request) =>
        mesh
          .client(request.service, AccountDataService)
          .readAccountData(request, await renewOptions()),
      )
      return streams.start(text, { request, reply, fileName: 'coffer-export.json' })
    },
  })
}

/** A new timezone, with re-authentication by the current password or a code. */
const timezoneChange = z.union(
  reAuthentication.options.map((option) =>
    option.extend({ timezone: text.describe('IANA name of the new timezone: Europe/Berlin') }),
  ),
)

function timezoneRoute({ mesh }: RouteDeps): Route {
  const accounts = mesh.client('identity', AccountService)
  return route({
    id: 'changeTimezone',
    tag: 'Account',
    method: 'PUT',
    path: '/api/users/me/timezone',
    summary: 'Change the timezone of the account, by the current password or a code',
    description:
      'Only an owner may do so. Every transaction, due date and funding keeps its calendar day. ' +
      'They are moved in the background: until that is done, the account has pendingTimezone ' +
      '(docs/account-data.md#a-new-timezone).',
    since: '0.4.0',
    auth: 'session',
    body: timezoneChange,
    answers: {
      409: 'The days of the account are being moved to another timezone',
      428: codesLocked,
    },
    attempts: 'refused',
    answer: UserSchema,
    handler: async ({ body, options }) => {
      const { timezone, ...answer } = body
      const request = { timezone, ...reAuthenticationMessage(answer) }
      return (await accounts.changeTimezone(request, options)).user
    },
  })
}

function deletionRoute({ mesh, sessions, cookie }: RouteDeps): Route {
  const accounts = mesh.client('identity', AccountService)
  return route({
    id: 'deleteAccount',
    tag: 'Account',
    method: 'DELETE',
    path: '/api/users/me',
    summary: 'Delete the account and all its data, by the current password; final',
    description:
      'Only an owner may do so. With an authenticator, the body has both the password and a ' +
      'code; otherwise the password. Sessions and API keys end at once, the rows are deleted in ' +
      'the background (docs/account-data.md#deletion).',
    since: '0.1.0',
    auth: 'session',
    body: reAuthenticationByBoth,
    answers: { 428: codesLocked },
    attempts: 'refused',
    headers: ['Set-Cookie'],
    handler: async ({ accountId, body, options, reply }) => {
      const request =
        'currentPassword' in body && 'totp' in body
          ? {
              ...reAuthenticationMessage({ currentPassword: body.currentPassword }),
              totp: body.totp,
            }
          : reAuthenticationMessage(body)
      await accounts.deleteAccount(request, options)
      sessions.forgetAccount(accountId)
      cookie.clear(reply)
    },
  })
}
