/** `npm run bench`: ratios to a peer in the same run against the same broker. */
import { findBroker } from '../../infra/local/broker/find.ts';
import { benchImport } from './import-time.ts';
import { benchMemory } from './memory.ts';
import { benchReplay, type ReplayResult, whyNoShovel } from './replay.ts';
import { benchSettle, benchSettleWithTable } from './settle.ts';

const json = process.argv.includes('--json');
const print = (line: string) => (json ? console.error(line) : console.log(line));

const broker = await findBroker({ print, env: process.env });
try {
  print(`Measuring on ${broker.version}, Node.js ${process.versions.node}.`);
  const settle = await benchSettle(broker.url);
  const settleWithTable = await benchSettleWithTable(broker.url);
  const imported = await benchImport();
  const memoryMiB = await benchMemory(broker.url);
  const notMeasured = await whyNoShovel(broker.url, broker.managementUrl);
  const replay =
    notMeasured === undefined
      ? await benchReplay(broker.url, broker.managementUrl ?? '')
      : `not measured: ${notMeasured}`;
  print('');
  print(`settle 1,000 failed   ${settle.messagesPerSecond} msg/s`);
  print(`  vs pipelined        ${settle.vsPipelined} ×   (at least 0.8)`);
  print(`  vs one by one       ${settle.vsOneByOne} ×   (at least 8)`);
  print(`  with idempotency    ${settleWithTable.messagesPerSecond} msg/s on a local table`);
  print(`import of a bundle    ${imported.flowMs} ms, ${imported.flowKiB} KiB`);
  print(
    `  vs bare libraries   ${imported.vsBare} ×   (at most 1.5; they take ${imported.bareMs} ms, ${imported.bareKiB} KiB)`,
  );
  print(`peak for 10,000 records  ${memoryMiB} MiB   (under 256)`);
  if (typeof replay === 'string') print(`replay of 20,000     ${replay}`);
  else {
    print(
      `replay of 20,000     ${replay.messagesPerSecond} msg/s, ${replay.cpuMicroseconds} µs CPU each`,
    );
    print(
      `  vs a shovel         ${replay.vsShovel} ×   (at least 0.7; it moves ${replay.shovelPerSecond} msg/s)`,
    );
    print(`replay of 100 in 50,000  ${replay.memoryMiB} MiB   (under 256)`);
    print(
      `  vs a bare scan      ${replay.selectiveVsScan} ×   (at most 1.3); its plan ${replay.planVsScan} ×`,
    );
  }
  if (json) {
    console.log(
      JSON.stringify({
        settle: { vsPipelined: settle.vsPipelined, vsOneByOne: settle.vsOneByOne },
        settleWithTable: { messagesPerSecond: settleWithTable.messagesPerSecond },
        import: { vsBare: imported.vsBare },
        memoryMiB,
        replay: typeof replay === 'string' ? replay : figuresOf(replay),
        broker: broker.version,
      }),
    );
  }
} finally {
  await broker.stop();
}

function figuresOf({ vsShovel, selectiveVsScan, memoryMiB }: ReplayResult) {
  return { vsShovel, selectiveVsScan, memoryMiB };
}
