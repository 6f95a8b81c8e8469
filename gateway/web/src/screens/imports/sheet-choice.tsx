import { useNavigate } from '@tanstack/react-router'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Import } from '../../api/import-queries.ts'
import { findSent, keepSent } from '../../api/sent-file.ts'
import { ChoiceField } from '../../controls/field.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { importWords as words } from '../../words/imports.ts'

/** Choice of a workbook's sheet. The server stores only one, so another needs a new upload. */
export function SheetChoice({ found }: { found: Import }) {
  const { bankAccountId, transactionImportId, reading } = found
  const navigate = useNavigate()
  const data = findSent(transactionImportId)
  const { send, isSending, fault } = useChange(async (sheet: string) => {
    const body = { data: data as File }
    const made = await coffer.createImport({ path: { bankAccountId }, body, query: { sheet } })
    keepSent(made.data.transactionImportId, body.data)
    return made.data.transactionImportId
  })
  const { sheets = [], sheet } = reading ?? {}
  if (sheets.length < 2) return null
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <ChoiceField
        label={words.sheet}
        hint={data ? undefined : words.sheetGone}
        disabled={data === null || isSending}
        value={sheet ?? ''}
        options={sheets.map(({ name, rowCount }) => ({
          value: name,
          text: words.sheetOf({ name, count: rowCount }),
        }))}
        onChange={(name) =>
          send(name, (made) => {
            void navigate({
              to: '/imports/$transactionImportId',
              params: { transactionImportId: made },
              search: { account: bankAccountId },
              replace: true,
            })
          })
        }
      />
    </>
  )
}
