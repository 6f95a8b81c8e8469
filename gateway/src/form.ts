import { invalid, refused } from '@coffer/kit/errors'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mediaType, wrongType } from './body.ts'
import { texts } from './fields.ts'

/** The file of a multipart form. */
export interface Form {
  /** The client's name for it. */
  name: string
  contentType: string
  content: Uint8Array
}

/** What a handler gets of a form; `readForm` has checked it. */
export const formFile = z.custom<Form>()

/** Bytes a request may have, whatever it is (spec/identity.md 1.4). */
export const bodySizeMax = 6 * 1024 * 1024

/** Limits of a multipart form; its other parts are read and dropped. */
export const formLimits = {
  fileSize: bodySizeMax,
  fieldSize: 1024,
  files: 4,
  fields: 16,
  parts: 20,
}

/**
 * Reads the file part of that name. Throws what a client gets: 415 for another content type, 413
 * for too much, 400 for a form that cannot be read or has no such part (spec/ledger.md 6.1), or
 * other files beside it where it has to be the only one (7.2).
 */
export async function readForm(
  request: FastifyRequest,
  { name, isOnly }: { name: string; isOnly: boolean },
): Promise<Form> {
  if (mediaType(request.headers['content-type']) !== 'multipart/form-data') {
    throw wrongType('multipart/form-data')
  }
  if (Number(request.headers['content-length'] ?? 0) > bodySizeMax) {
    throw refused('the body is larger than 6 MiB', { status: 413 })
  }
  const { form, files } = await fileOf(request, name).catch(asRefused)
  if (!form) throw invalid({ [name]: texts.missing })
  if (isOnly && files > 1) throw invalid({ [name]: 'must be the only file of the form' })
  return form
}

async function fileOf(request: FastifyRequest, name: string) {
  let form: Form | null = null
  let files = 0
  for await (const part of request.parts()) {
    if (part.type !== 'file') continue
    files += 1
    if (part.fieldname === name && !form) {
      const { filename, mimetype } = part
      form = { name: filename, contentType: mimetype, content: await part.toBuffer() }
    } else {
      part.file.resume()
    }
  }
  return { form, files }
}

function asRefused(error: { statusCode?: number; code?: string }): never {
  if (error.statusCode === 413 && error.code === 'FST_REQ_FILE_TOO_LARGE') throw error
  throw refused('the form cannot be read')
}
