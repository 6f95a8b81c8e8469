import { unauthenticated } from '@coffer/kit/rpc/errors'
import type { Gateway } from './gateway.ts'
import { alice, type Stubs } from './stub-mesh.ts'

/** A second session of the test user Alice; the session is valid until `end` is called. */
export interface EndingSession {
  /** Stub of an RPC that ends the session. */
  end: () => object
  /** Stubs of the services that verify the session and answer its requests. */
  stubs: Stubs
  /** Sends a request of the session; returns its status. */
  statusAt: (gateway: Gateway) => Promise<number>
}

export function createEndingSession(): EndingSession {
  let isEnded = false
  return {
    end: () => {
      isEnded = true
      return {}
    },
    stubs: {
      links: { listLinks: () => ({ links: [] }) },
      signIn: {
        verifySession: ({ sessionToken }) => {
          if (isEnded && sessionToken === 'other') throw unauthenticated('SESSION_ENDED')
          return { credential: alice }
        },
      },
    },
    statusAt: async (gateway) => {
      const other = { cookie: 'coffer_session=other' }
      return (await gateway.send('GET', '/api/links', { as: other })).status
    },
  }
}
