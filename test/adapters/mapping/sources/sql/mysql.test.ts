import { describe, expect, test } from '@jest/globals';
import { openMysql } from '../../../../../adapters/mapping/sources/sql/mysql.ts';

describe('an error of MySQL or MariaDB', () => {
  test.each([
    [1213, 'a deadlock'],
    [1467, 'a deadlock over an AUTO_INCREMENT column'],
  ])('%i is a clash of transactions: %s', async (errno) => {
    const driver = openMysql({
      url: 'mysql://u:p@127.0.0.1/none',
      timeout: 1000,
      connections: 1,
      records: 1,
      timeZone: undefined,
      readRows: () => [],
    });
    expect(driver.codes.clash.test(driver.findCode({ errno }) ?? '')).toBe(true);
    await driver.close();
  });
});
