import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Exporter } from '../ports.ts';
import { exportLines } from './export-lines.ts';

/** Keeps exports as objects `<run>/<part>.jsonl.gz`; the bucket's own key encrypts them. */
export function createS3Exporter(client: S3Client, bucket: string): Exporter {
  return {
    async keep(run, part, messages) {
      const { content, sha256 } = await exportLines(messages);
      const Key = `${run}/${part}.jsonl.gz`;
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key,
          Body: content,
          ContentType: 'application/gzip',
          // S3 refuses what arrives otherwise than it was sent.
          ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
          // Never over an export that is there.
          IfNoneMatch: '*',
        }),
      );
      return { to: `s3://${bucket}/${Key}`, sha256 };
    },
  };
}
