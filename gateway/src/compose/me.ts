import type { Mesh } from '@coffer/kit/rpc/mesh'
import { type GetMeResponse, UserService } from '@coffer/proto/identity/v1/user'
import type { Call } from '../http/route.ts'

/**
 * Returns a function that reads the caller, with the end of its session: the gateway knows it from
 * the verification of the session.
 */
export function createMe({ mesh }: { mesh: Mesh }) {
  const users = mesh.client('identity', UserService)
  return async (call: Pick<Call, 'options' | 'request'>): Promise<GetMeResponse> => {
    const me = await users.getMe({}, call.options)
    me.sessionExpiresAt = call.request.admission?.sessionExpiresAt
    return me
  }
}
