import { expect, test } from 'vitest';
import {
  containsPrefix,
  holdsAddress,
  type IpPrefix,
  parseIpPrefix,
} from '../../../src/controllers/finalizers/ip-prefix.ts';

const prefix = (text: string) => parseIpPrefix(text) as IpPrefix;

test('addresses and ranges of both families are read, and nothing else', () => {
  expect(parseIpPrefix('10.0.1.2')).toEqual({ width: 32, address: 0x0a000102n, length: 32 });
  expect(parseIpPrefix('2001:db8::1/64')).toEqual({
    width: 128,
    address: 0x20010db8000000000000000000000001n,
    length: 64,
  });
  expect(parseIpPrefix('::')?.address).toBe(0n);
  expect(parseIpPrefix('1:2:3:4:5:6:7::')).toEqual(parseIpPrefix('1:2:3:4:5:6:7:0'));
  const wrong = [
    ...',10.0.0,10.0.0.256,10.0.0.0x8,10.0.0.1e2,10.0.0.0/33,10.0.0.0/0x8,10.0.0.0/1e1,a'.split(
      ',',
    ),
    ...'1:2:3,1::2::3,1::g,1::2g,1::g2,1:2:3:4:5:6:7:8::,1:2:3:4:5:6:7:8:9,1::/129'.split(','),
  ];
  expect(wrong.filter((text) => parseIpPrefix(text))).toEqual([]);
});

test('a range contains another of its family that is not wider', () => {
  const contains = (outer: string, ...inner: string[]) =>
    inner.filter((one) => containsPrefix(prefix(outer), prefix(one)));
  const ranges = ['10.0.1.0/24', '10.0.0.0/16', '10.1.0.0/24'];
  expect(contains('10.0.0.0/16', ...ranges)).toEqual(['10.0.1.0/24', '10.0.0.0/16']);
  expect(contains('10.0.0.0/24', '10.0.0.0/16')).toEqual([]);
  expect(contains('::/0', '10.0.0.0/24')).toEqual([]);
  expect(contains('fd00::/8', 'fd12::/16')).toEqual(['fd12::/16']);
});

test('Services never have the first address of a range, nor the last one of IPv4', () => {
  const held = (range: string, addresses: readonly string[]) =>
    addresses.filter((address) => holdsAddress(prefix(range), prefix(address)));
  expect(held('10.0.1.0/24', ['10.0.1.0', '10.0.1.1', '10.0.1.255', '10.0.2.1'])).toEqual([
    '10.0.1.1',
  ]);
  expect(held('fd00::/112', ['fd00::', 'fd00::1', 'fd00::ffff'])).toEqual([
    'fd00::1',
    'fd00::ffff',
  ]);
});
