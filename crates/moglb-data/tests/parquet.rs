//! A table in Parquet gives the same data as the same table in CSV.

#![cfg(feature = "parquet")]

use moglb_data::{Dataset, load};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

fn write(path: &Path) {
    let schema = "message t { REQUIRED BYTE_ARRAY arm_id (UTF8); REQUIRED FLOAT a_u; REQUIRED DOUBLE y_a; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut ids = group.next_column().unwrap().unwrap();
    ids.typed::<ByteArrayType>()
        .write_batch(&[ByteArray::from("0"), ByteArray::from("1")], None, None)
        .unwrap();
    ids.close().unwrap();
    let mut features = group.next_column().unwrap().unwrap();
    features.typed::<FloatType>().write_batch(&[0.5, 1.0], None, None).unwrap();
    features.close().unwrap();
    let mut rewards = group.next_column().unwrap().unwrap();
    rewards.typed::<DoubleType>().write_batch(&[0.1 + 0.2, 1e-300], None, None).unwrap();
    rewards.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

fn read(file: &str, make: impl Fn(&Path)) -> Dataset {
    let folder = tempfile::tempdir().unwrap();
    let meta = format!(
        r#"{{ "format": "mob-data/1", "problems": [{{ "id": "p", "kind": "arms", "arms": "{file}",
        "objectives": [{{ "column": "y_a" }}] }}] }}"#
    );
    std::fs::write(folder.path().join("meta.json"), meta).unwrap();
    make(&folder.path().join(file));
    load(folder.path()).unwrap()
}

#[test]
fn parquet_reads_like_csv_to_the_last_bit() {
    let csv = "arm_id,a_u,y_a\n0,0.5,0.30000000000000004\n1,1,1e-300\n";
    assert_eq!(read("arms.parquet", write), read("arms.csv", |path| std::fs::write(path, csv).unwrap()));
}
