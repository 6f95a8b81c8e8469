import {
  type DescEnum,
  type DescFile,
  type DescMessage,
  type DescService,
  toBinary,
} from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { ServerReflection, type ServerReflectionRequest } from '@coffer/proto/grpc/reflection'
import { Code, type ConnectRouter } from '@connectrpc/connect'

/** Registers gRPC server reflection (grpc.reflection.v1) for these RPC services. */
export function reflectionRoutes(router: ConnectRouter, services: DescService[]): void {
  const reachable = services.flatMap(({ file }) => withImports(file))
  const files = new Map(reachable.map((file) => [file.name, file]))
  const encode = (file: DescFile) => toBinary(FileDescriptorProtoSchema, file.proto)
  const answer = ({ messageRequest }: ServerReflectionRequest) => {
    if (messageRequest.case === 'listServices') {
      const service = services.map(({ typeName }) => ({ name: typeName }))
      return { case: 'listServicesResponse' as const, value: { service } }
    }
    const file = findFile(files, messageRequest)
    if (!file) {
      const value = { errorCode: Code.NotFound, errorMessage: 'not known here' }
      return { case: 'errorResponse' as const, value }
    }
    const fileDescriptorProto = withImports(file).map(encode)
    return { case: 'fileDescriptorResponse' as const, value: { fileDescriptorProto } }
  }
  router.service(ServerReflection, {
    async *serverReflectionInfo(requests) {
      for await (const originalRequest of requests) {
        const { host } = originalRequest
        yield { validHost: host, originalRequest, messageResponse: answer(originalRequest) }
      }
    },
  })
}

function findFile(
  files: Map<string, DescFile>,
  request: ServerReflectionRequest['messageRequest'],
): DescFile | undefined {
  if (request.case === 'fileByFilename') return files.get(request.value.replace(/\.proto$/, ''))
  if (request.case !== 'fileContainingSymbol') return undefined
  return [...files.values()].find((file) => symbolsOf(file).has(request.value))
}

function symbolsOf(file: DescFile): Set<string> {
  const methods = file.services.flatMap((service) =>
    service.methods.map(({ name }) => `${service.typeName}.${name}`),
  )
  const types = [...file.services, ...file.messages.flatMap(withNested), ...file.enums]
  return new Set([...types.map(({ typeName }) => typeName), ...methods])
}

function withNested(message: DescMessage): (DescMessage | DescEnum)[] {
  return [message, ...message.nestedEnums, ...message.nestedMessages.flatMap(withNested)]
}

function withImports(file: DescFile, found = new Set<DescFile>()): DescFile[] {
  if (!found.has(file)) {
    found.add(file)
    for (const imported of file.dependencies) withImports(imported, found)
  }
  return [...found]
}
