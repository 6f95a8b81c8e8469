import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { bankAccountsQuery, configQuery, linksQuery } from '../../api/account-queries.ts'
import { uploadsQuery } from '../../api/import-queries.ts'
import { basePath } from '../../base-path.ts'
import { Asked } from '../../controls/asked.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { Resume } from '../start/resume.tsx'
import { FileChoice } from './file-choice.tsx'
import { UploadGroups } from './upload-groups.tsx'
import { UploadRow } from './upload-row.tsx'

/** Imports a file, lists the former imports with their results, and undoes them. */
export function Imports() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  return (
    <Screen title={words.title} help="files" isNarrow>
      <Asked query={accounts} lines={8}>
        {() => (chosen === null ? <Navigate to="/setup" /> : <Parts bankAccountId={chosen} />)}
      </Asked>
    </Screen>
  )
}

function Parts({ bankAccountId }: { bankAccountId: string }) {
  const { data: config } = useQuery(configQuery)
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { data: links } = useQuery(linksQuery)
  const uploads = useQuery(uploadsQuery(bankAccountId))
  const account = accounts.find((one) => one.bankAccountId === bankAccountId)
  const link = links?.find((one) => one.linkId === account?.linkId)
  if (config?.uploadsEnabled === false) return <p>{words.off}</p>
  return (
    <>
      {link === undefined || link.linkType === 'manual' ? (
        <FileChoice bankAccountId={bankAccountId} />
      ) : (
        <p>{words.notManual}</p>
      )}
      <UploadGroups />
      <Card title={words.list}>
        <Asked query={uploads}>
          {(all) =>
            all.length === 0 ? (
              <p className={rows.soft}>
                {words.none}{' '}
                <a href={`${basePath}sample.csv`} download>
                  {words.sample}
                </a>
              </p>
            ) : (
              <ul className={rows.rows}>
                {all.map((one) => (
                  <UploadRow key={one.transactionUploadId} upload={one} />
                ))}
              </ul>
            )
          }
        </Asked>
      </Card>
      {uploads.data?.some(({ status }) => status === 'complete') && (
        <Resume bankAccountId={bankAccountId} />
      )}
    </>
  )
}
