"""How RocksDB is set up for pages: 4 to 64 KB each, written once, read at random, little memory."""

from rocksdict import BlockBasedOptions, Cache, DBCompressionType, DBRecoveryMode, Options

__all__ = ["page_options"]

_KB = 1 << 10
_MB = 1 << 20


def page_options() -> Options:
    """Options of a database of pages."""
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    table = BlockBasedOptions()

    # Memory: three write buffers, and a cache that counts indexes and filters too.
    options.set_write_buffer_size(8 * _MB)
    options.set_max_write_buffer_number(3)
    options.set_db_write_buffer_size(24 * _MB)
    options.set_max_open_files(256)
    table.set_block_cache(Cache(16 * _MB))
    table.set_cache_index_and_filter_blocks(True)
    table.set_pin_l0_filter_and_index_blocks_in_cache(True)

    # Reads: a page or a few to a block, and no look into files that do not have it.
    table.set_block_size(16 * _KB)
    table.set_bloom_filter(10, False)

    # Disk: small files, so that what a sliding window leaves behind is soon merged away.
    options.set_compression_type(DBCompressionType.lz4())
    options.set_target_file_size_base(16 * _MB)
    options.set_max_bytes_for_level_base(64 * _MB)
    options.set_max_total_wal_size(64 * _MB)
    options.set_max_background_jobs(2)
    options.set_keep_log_file_num(2)
    options.set_max_log_file_size(_MB)

    # Safety: a log that breaks off, as after a crash, is read up to there; a damaged one is an
    # error, while by default everything after the damage would be dropped silently.
    options.set_wal_recovery_mode(DBRecoveryMode.tolerate_corrupted_tail_records())

    options.set_block_based_table_factory(table)
    return options
