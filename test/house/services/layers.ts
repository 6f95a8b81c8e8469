import { parseSync } from 'oxc-parser'
import type { File } from '../files.ts'

/**
 * Returns the exported values of a file of RPCs (`.rpc.ts`) that are no functions returning
 * handlers (`ServiceImpl`): steps of a use case belong to a `.service.ts`, rules to a pure file.
 */
export function rpcFaults({ path, text }: File): string[] {
  if (!path.endsWith('.rpc.ts')) return []
  return parseSync(path, text).program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || node.exportKind === 'type') return []
    const { declaration } = node
    if (declaration?.type !== 'FunctionDeclaration') {
      return declaration === null ? [] : [`${path}: exports a value that is no function`]
    }
    const { id, returnType } = declaration
    const returned = returnType ? text.slice(returnType.start, returnType.end) : ''
    const isOfHandlers = /\bServiceImpl</.test(returned)
    return isOfHandlers ? [] : [`${path}: ${id?.name} returns no ServiceImpl`]
  })
}
