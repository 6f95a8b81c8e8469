import { timestampNow } from '@bufbuild/protobuf/wkt'
import { defineService } from '@coffer/kit/service/service'
import { AccountService } from '@coffer/proto/identity/v1/account'

/** An identity service without tables, by which the deletion of every account was requested. */
export const deletingIdentity = defineService({
  name: 'identity',
  schema: 'identity',
  // A folder without SQL files.
  migrations: new URL('./', import.meta.url),
  settings: {},
  create: () => ({
    routes: (router) => {
      router.service(AccountService, { getDeletion: () => ({ requestedAt: timestampNow() }) })
    },
  }),
})
